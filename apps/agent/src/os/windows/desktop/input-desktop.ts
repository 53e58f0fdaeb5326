import type { Handle } from '../win32.ts'
import type { User32 } from './user32.ts'

const GENERIC_ALL = 0x10_00_00_00
const NAME = 2
const MAX_NAME_BYTES = 512
/** A check takes as long as reading a small part of the screen. */
const FOLLOW_INTERVAL_MS = 100

/**
 * The desktop that receives input: the user's own, the lock screen, or a question of User Account Control. Windows
 * switches between them, and a thread sees only the one that it was attached to.
 */
export class InputDesktop implements Disposable {
  #user32: User32
  #desktop: Handle = 0
  #name = ''
  #followedMs = -Infinity

  constructor(user32: User32) {
    this.#user32 = user32
  }

  /** Attaches this thread to the desktop that receives input now. Returns its name. Throws if that is not allowed. */
  follow(): string {
    if (performance.now() - this.#followedMs < FOLLOW_INTERVAL_MS) return this.#name
    const desktop = this.#user32.openInputDesktop(0, 0, GENERIC_ALL)
    if (Number(desktop) === 0)
      throw new Error('Windows shows a protected screen, which only an agent that runs as a service can read')
    this.#followedMs = performance.now()
    const name = this.#readName(desktop)
    if (name === this.#name || this.#user32.setThreadDesktop(desktop) === 0) {
      this.#user32.closeDesktop(desktop)
      return this.#name
    }
    this[Symbol.dispose]()
    this.#desktop = desktop
    this.#name = name
    return name
  }

  [Symbol.dispose](): void {
    if (Number(this.#desktop) !== 0) this.#user32.closeDesktop(this.#desktop)
    this.#desktop = 0
  }

  #readName(desktop: Handle): string {
    const name = Buffer.alloc(MAX_NAME_BYTES)
    this.#user32.readObjectName(desktop, NAME, name, name.length, null)
    return name.toString('utf16le').replace(/\0.*$/s, '')
  }
}
