import type { ScreenClipboard } from '../../../remote/rfb/screen-source.ts'
import { bindLibrary, type Handle, loadKoffi } from '../win32.ts'
import type { User32 } from './user32.ts'

interface Memory {
  allocate: (flags: number, bytes: number) => Handle
  free: (memory: Handle) => Handle
  lock: (memory: Handle) => Handle
  unlock: (memory: Handle) => number
  size: (memory: Handle) => number
}

const MEMORY = {
  allocate: 'uintptr_t __stdcall GlobalAlloc(uint32_t, size_t)',
  free: 'uintptr_t __stdcall GlobalFree(uintptr_t)',
  lock: 'uintptr_t __stdcall GlobalLock(uintptr_t)',
  unlock: 'int __stdcall GlobalUnlock(uintptr_t)',
  size: 'size_t __stdcall GlobalSize(uintptr_t)',
}

/** CF_UNICODETEXT: UTF-16 with a zero at its end. */
const TEXT = 13
const MOVEABLE = 2
const MAX_BYTES = 8 * 1024 * 1024
const OPEN_ATTEMPTS = 5
const OPEN_PAUSE_MS = 5
const PAUSE = new Int32Array(new SharedArrayBuffer(4))

/** The clipboard of this session. */
export class DesktopClipboard implements ScreenClipboard {
  #user32: User32
  #memory: Memory
  #view: (address: Handle, bytes: number) => ArrayBuffer
  #number: number
  /** Text that another program kept from the clipboard by having it open. */
  #unwritten: string | undefined

  private constructor(user32: User32, memory: Memory, view: (address: Handle, bytes: number) => ArrayBuffer) {
    this.#user32 = user32
    this.#memory = memory
    this.#view = view
    this.#number = user32.clipboardNumber()
  }

  static async open(user32: User32): Promise<DesktopClipboard> {
    const koffi = await loadKoffi()
    const memory = await bindLibrary<Memory>('kernel32.dll', MEMORY)
    return new DesktopClipboard(user32, memory, (address, bytes) => koffi.view(address, bytes))
  }

  readCopied(): string | undefined {
    if (this.#unwritten !== undefined) this.write(this.#unwritten)
    const number = this.#user32.clipboardNumber()
    // Another program has it open now and then: the next call tries again.
    if (number === this.#number || this.#user32.openClipboard(null) === 0) return undefined
    try {
      const memory = this.#user32.readClipboard(TEXT)
      if (Number(memory) !== 0 || this.#user32.hasFormat(TEXT) === 0) this.#number = number
      return Number(memory) === 0 ? undefined : this.#readText(memory)
    } finally {
      this.#user32.closeClipboard()
    }
  }

  write(text: string): void {
    const bytes = Buffer.from(`${text.replaceAll(/\r\n|\r|\n/g, '\r\n')}\0`, 'utf16le')
    if (bytes.length > MAX_BYTES) return
    const isOpen = this.#open()
    this.#unwritten = isOpen ? undefined : text
    if (!isOpen) return
    try {
      this.#user32.emptyClipboard()
      const memory = this.#memory.allocate(MOVEABLE, bytes.length)
      const address = this.#memory.lock(memory)
      if (Number(address) === 0) return
      Buffer.from(this.#view(address, bytes.length)).set(bytes)
      this.#memory.unlock(memory)
      // Windows owns it from here on.
      if (Number(this.#user32.writeClipboard(TEXT, memory)) === 0) this.#memory.free(memory)
    } finally {
      this.#user32.closeClipboard()
    }
    this.#number = this.#user32.clipboardNumber()
  }

  /** Waits a moment while another program has it open: the next key may paste. */
  #open(): boolean {
    for (let attempt = 1; attempt <= OPEN_ATTEMPTS; attempt += 1) {
      if (this.#user32.openClipboard(null) !== 0) return true
      if (attempt < OPEN_ATTEMPTS) Atomics.wait(PAUSE, 0, 0, OPEN_PAUSE_MS)
    }
    return false
  }

  #readText(memory: Handle): string | undefined {
    const address = this.#memory.lock(memory)
    const size = Number(this.#memory.size(memory))
    if (Number(address) === 0) return undefined
    try {
      if (size > MAX_BYTES) return undefined
      return Buffer.from(this.#view(address, size)).toString('utf16le').replace(/\0.*$/s, '')
    } finally {
      this.#memory.unlock(memory)
    }
  }
}
