declare module "inline-worker:*" {
  const source: string;
  export default source;
}
declare module "*.css";
