const VERSION_BYTES = 12
const PIXEL_FORMAT_MESSAGE_BYTES = 20
/** Nobody says more than this before the first picture is asked for, in a way of signing in that is known here. */
const MOST_BYTES = VERSION_BYTES + 1 + 16 + 1 + PIXEL_FORMAT_MESSAGE_BYTES
const CHALLENGE_BYTES: Record<number, number> = { 1: 0, 2: 16 }
/** As noVNC asks for it: 32 bits a pixel, 24 of them colour, the lowest byte first, red lowest. */
const PIXEL_FORMAT = Buffer.from('0000000020180001' + '00ff00ff00ff' + '000810' + '000000', 'hex')

/**
 * Reads what both sides of VNC (RFB) say before the first picture, so that a recording can begin after the signing in:
 * where the server's ServerInit begins, and whether the window wants the pictures as the player draws them.
 */
export class RfbHandshake {
  #person = Buffer.alloc(0)
  #machine = Buffer.alloc(0)
  #state: 'signing in' | 'initialised' | 'checked' = 'signing in'

  /** What the machine says from now on is to be recorded. */
  get isInitialised(): boolean {
    return this.#state !== 'signing in'
  }

  /** Of the machine, before it is initialised. */
  takeFromMachine(bytes: Uint8Array): void {
    // The kind of signing in that a server of version 3.3 has chosen.
    const wanted = VERSION_BYTES + 4 - this.#machine.length
    if (wanted > 0) this.#machine = Buffer.concat([this.#machine, bytes.subarray(0, wanted)])
  }

  /** Of the person; answers why it cannot be recorded, if it cannot. */
  takeFromPerson(bytes: Uint8Array): string | undefined {
    if (this.#state === 'checked') return undefined
    this.#person = Buffer.concat([this.#person, bytes.subarray(0, MOST_BYTES - this.#person.length)])
    if (this.#person.length < VERSION_BYTES) return undefined
    const isOld = this.#person.toString('latin1', 0, VERSION_BYTES) === 'RFB 003.003\n'
    const choiceAt = VERSION_BYTES
    const choice = isOld ? this.#readOldChoice() : this.#person[choiceAt]
    if (choice === undefined) return undefined
    const answer = CHALLENGE_BYTES[choice]
    if (answer === undefined) return SIGN_IN
    const initAt = choiceAt + (isOld ? 0 : 1) + answer
    if (this.#person.length <= initAt) return undefined
    this.#state = 'initialised'
    const wish = this.#person.subarray(initAt + 1)
    if (wish.length < PIXEL_FORMAT_MESSAGE_BYTES) return undefined
    this.#state = 'checked'
    return wish.subarray(0, PIXEL_FORMAT_MESSAGE_BYTES).equals(PIXEL_FORMAT) ? undefined : FORMAT
  }

  #readOldChoice(): number | undefined {
    return this.#machine.length < VERSION_BYTES + 4 ? undefined : this.#machine.readUInt32BE(VERSION_BYTES)
  }
}

const SIGN_IN =
  'This is to be recorded, and the way in which the VNC server wants people to sign in cannot be: only none, and a password for VNC.'
const FORMAT =
  'This is to be recorded, and the window asked for pictures in another format than recordings have.'
