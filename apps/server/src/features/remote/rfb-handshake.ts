import { RfbWishes } from './rfb-wishes.ts'

const VERSION_BYTES = 12
/** Nobody says more than this before the signing in is over, in a way of signing in that is known here. */
const MOST_BYTES = VERSION_BYTES + 1 + 16
const CHALLENGE_BYTES: Record<number, number> = { 1: 0, 2: 16 }

/**
 * Reads what both sides of VNC (RFB) say before the first picture, so that a recording can begin after the signing in:
 * where the server's ServerInit begins. From then on it looks that the window wants pictures as the player draws them.
 */
export class RfbHandshake {
  #person = Buffer.alloc(0)
  #machine = Buffer.alloc(0)
  #isInitialised = false
  #wishes: RfbWishes

  /** `onPointer`: where the pointer of the window is, two numbers of two bytes. */
  constructor(onPointer: (place: Uint8Array) => void) {
    this.#wishes = new RfbWishes(onPointer)
  }

  /** What the machine says from now on is to be recorded. */
  get isInitialised(): boolean {
    return this.#isInitialised
  }

  /** Of the machine, before it is initialised. */
  takeFromMachine(bytes: Uint8Array): void {
    // The kind of signing in that a server of version 3.3 has chosen.
    const wanted = VERSION_BYTES + 4 - this.#machine.length
    if (wanted > 0) this.#machine = Buffer.concat([this.#machine, bytes.subarray(0, wanted)])
  }

  /** Of the person; answers why it cannot be recorded, if it cannot. */
  takeFromPerson(bytes: Uint8Array): string | undefined {
    if (this.#isInitialised) return this.#wishes.take(bytes)
    this.#person = Buffer.concat([this.#person, bytes])
    if (this.#person.length < VERSION_BYTES) return undefined
    const isOld = this.#person.toString('latin1', 0, VERSION_BYTES) === 'RFB 003.003\n'
    const choiceAt = VERSION_BYTES
    const choice = isOld ? this.#readOldChoice() : this.#person[choiceAt]
    if (choice === undefined) return this.#person.length > MOST_BYTES ? SIGN_IN : undefined
    const answer = CHALLENGE_BYTES[choice]
    if (answer === undefined) return SIGN_IN
    const initAt = choiceAt + (isOld ? 0 : 1) + answer
    if (this.#person.length <= initAt) return undefined
    this.#isInitialised = true
    return this.#wishes.take(this.#person.subarray(initAt + 1))
  }

  #readOldChoice(): number | undefined {
    return this.#machine.length < VERSION_BYTES + 4 ? undefined : this.#machine.readUInt32BE(VERSION_BYTES)
  }
}

const SIGN_IN =
  'This is to be recorded, and the way in which the VNC server wants people to sign in cannot be: only none, and a password for VNC.'
