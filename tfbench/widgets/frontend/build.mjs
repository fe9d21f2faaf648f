// Builds ../static/inspector.{js,css}: one ESM file, the layout worker inside it as text, nothing fetched at
// run time. `--tests` instead bundles tests/*.test.ts for `node --test`.
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { deflateRawSync } from "node:zlib";

/** What the bundle is made from; a Python test compares this with the number in the bundle's first line. */
function fingerprint() {
  const hash = createHash("sha256");
  const sources = readdirSync(join(here, "src")).map((file) => `src/${file}`);
  for (const file of [...sources, "build.mjs", "package-lock.json"].sort()) {
    hash.update(`${file}\0`).update(readFileSync(join(here, file))).update("\0");
  }
  return hash.digest("hex");
}

const here = dirname(fileURLToPath(import.meta.url));

const common = {
  absWorkingDir: here,
  bundle: true,
  format: "esm",
  target: "es2022",
  charset: "utf8",
  legalComments: "none",
  jsx: "automatic",
  jsxImportSource: "preact",
  logLevel: "warning",
};

/** Bytes as text, five letters for four bytes (base64 takes a sixteenth more); `layouter.ts` reads them. */
function letters(bytes) {
  const padded = Buffer.concat([bytes, Buffer.alloc(-bytes.length & 3)]);
  let text = "";
  for (let at = 0; at < padded.length; at += 4) {
    let word = padded.readUInt32BE(at);
    let five = "";
    for (let i = 0; i < 5; i++) {
      const digit = word % 85;
      // 85 letters from "(" on, without the backslash.
      five = String.fromCharCode(digit + (digit < 52 ? 40 : 41)) + five;
      word = Math.floor(word / 85);
    }
    text += five;
  }
  return `${bytes.length} ${text}`;
}

/** `import text from "inline-worker:./worker.ts"` gives the built worker's source, packed (deflate, and as letters). */
const inlineWorker = {
  name: "inline-worker",
  setup(hooks) {
    hooks.onResolve({ filter: /^inline-worker:/ }, (args) => ({
      path: join(args.resolveDir, args.path.slice("inline-worker:".length)),
      namespace: "inline-worker",
    }));
    hooks.onLoad({ filter: /.*/, namespace: "inline-worker" }, async (args) => {
      const made = await build({ ...common, entryPoints: [args.path], minify: true, write: false });
      // Packed: most of it is the layout library, and the bundle is part of every notebook's page.
      return { contents: letters(deflateRawSync(made.outputFiles[0].contents, { level: 9 })), loader: "text" };
    });
  },
};

if (process.argv.includes("--tests")) {
  await build({
    ...common,
    entryPoints: readdirSync(join(here, "tests")).filter((f) => f.endsWith(".test.ts")).map((f) => `tests/${f}`),
    outdir: "build/tests",
    outExtension: { ".js": ".mjs" },
    platform: "node",
    sourcemap: "inline",
    plugins: [inlineWorker],
  });
} else {
  const banner = `/* Built from tfbench/widgets/frontend (npm ci && npm run build), sources ${fingerprint()}. Licences: LICENSES.txt */`;
  await build({
    ...common,
    entryPoints: { inspector: "src/index.tsx", watch: "src/watch.tsx" },
    outdir: "../static",
    minify: true,
    banner: { js: banner, css: banner },
    plugins: [inlineWorker],
  });
  // The bundle holds these packages' code, so it travels with their licences.
  const licences = ["preact/LICENSE", "@dagrejs/dagre/LICENSE", "@dagrejs/graphlib/LICENSE"].map(
    (file) => `${dirname(file)}\n\n${readFileSync(join(here, "node_modules", file), "utf8").trim()}\n`,
  );
  writeFileSync(join(here, "../static/LICENSES.txt"), licences.join("\n----\n\n"));
}
