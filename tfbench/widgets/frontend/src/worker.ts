// The layout's own thread. As a worker it answers messages; where a page forbids workers the panel imports this
// same text and calls `solve` itself.

import type { Problem } from "./boxes";
import { solve } from "./layout";

export { solve };

interface Request {
  id: number;
  problem: Problem;
}

const scope = globalThis as unknown as {
  document?: unknown;
  onmessage: ((event: MessageEvent<Request>) => void) | null;
  postMessage(message: unknown): void;
};

if (scope.document === undefined) {
  scope.onmessage = ({ data }) => {
    try {
      scope.postMessage({ id: data.id, result: solve(data.problem) });
    } catch (error) {
      scope.postMessage({ id: data.id, error: String(error) });
    }
  };
}
