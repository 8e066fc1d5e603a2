/** A file that is imported as a file: its path, which in the executable lies inside it. */
declare module "*/standalone.js" {
  const path: string;
  export default path;
}
