/** The part of koffi that is used. It is installed on Windows only. */
declare module 'koffi' {
  type NativeFunction = ((...values: unknown[]) => unknown) & {
    /** Calls on another thread; the last value receives `(error, result)`. */
    async: (...values: unknown[]) => void
  }
  interface Library {
    func: (definition: string) => NativeFunction
  }
  /** A callback's type, and a registered callback. */
  type NativeType = object
  type NativePointer = object
  const koffi: {
    load: (path: string) => Library
    proto: (definition: string) => NativeType
    pointer: (type: NativeType) => NativeType
    /** The callback can be called until it is unregistered, and on the JavaScript thread only. */
    register: (callback: (...values: never[]) => unknown, type: NativeType) => NativePointer
    unregister: (callback: NativePointer) => void
    /** Calls the function at an address. */
    call: (address: bigint, type: NativeType, ...values: unknown[]) => unknown
    /** Bytes at an address, without a copy. */
    view: (address: number | bigint, bytes: number) => ArrayBuffer
    decode: (address: number | bigint | Buffer, type: string, length?: number) => unknown
    /** Address of a registered callback or a Buffer. Keep a reference to the Buffer while the address is in use. */
    address: (pointer: unknown) => bigint
  }
  export default koffi
}
