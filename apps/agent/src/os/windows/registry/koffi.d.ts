/** The part of koffi that is used. It is installed on Windows only. */
declare module 'koffi' {
  interface Library {
    func: (definition: string) => (...values: unknown[]) => number
  }
  const koffi: { load: (path: string) => Library }
  export default koffi
}
