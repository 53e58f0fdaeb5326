/** What is used of koffi, which is installed where there is a registry. */
declare module 'koffi' {
  interface Library {
    func: (definition: string) => (...values: unknown[]) => number
  }
  const koffi: { load: (path: string) => Library }
  export default koffi
}
