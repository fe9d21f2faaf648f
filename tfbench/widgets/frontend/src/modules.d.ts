declare module "inline-worker:*" {
  /** deflated, in base64 */
  const packed: string;
  export default packed;
}
declare module "*.css";
