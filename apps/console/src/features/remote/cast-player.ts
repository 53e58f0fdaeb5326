import type { Cast } from './cast.ts'

/** What a recording is drawn on. */
export interface CastScreen {
  reset: () => void
  resize: (cols: number, rows: number) => void
  write: (text: string) => void
}

export interface PlayerState {
  isPlaying: boolean
  positionMs: number
}

const EMPTY: Cast = { events: [], atMs: [], lengthMs: 0 }

/** Plays a recording on a screen, by the clock of the frames that the browser draws. */
export class CastPlayer implements Disposable {
  #screen: CastScreen
  #onState: (state: PlayerState) => void
  #cast = EMPTY
  #isWhole = false
  #next = 0
  #positionMs = 0
  #speed = 1
  #frame: number | undefined
  #drawnMs = 0

  constructor(screen: CastScreen, onState: (state: PlayerState) => void) {
    this.#screen = screen
    this.#onState = onState
  }

  setSpeed(times: number): void {
    this.#speed = times
  }

  /** There is more of it, or it is laid out anew; what is on the screen stays. `isWhole`: nothing comes after this. */
  load(cast: Cast, isWhole: boolean): void {
    this.#cast = cast
    this.#isWhole = isWhole
    if (this.#next > 0) this.#positionMs = cast.atMs[this.#next - 1] ?? this.#positionMs
    this.#tell()
  }

  play(): void {
    if (this.#frame !== undefined) return
    if (this.#isWhole && this.#next === this.#cast.events.length) this.seek(0)
    this.#drawnMs = performance.now()
    this.#frame = requestAnimationFrame(() => this.#draw())
    this.#tell()
  }

  pause(): void {
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame)
    this.#frame = undefined
    this.#tell()
  }

  /** To what was there at this time; a screen knows no way back, so it begins anew. */
  seek(toMs: number): void {
    this.#positionMs = Math.max(0, Math.min(toMs, this.#cast.lengthMs))
    if ((this.#cast.atMs[this.#next - 1] ?? 0) > this.#positionMs) {
      this.#next = 0
      this.#screen.reset()
    }
    this.#show()
    this.#tell()
  }

  [Symbol.dispose](): void {
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame)
    this.#frame = undefined
  }

  #draw(): void {
    const nowMs = performance.now()
    this.#positionMs = Math.min(this.#positionMs + (nowMs - this.#drawnMs) * this.#speed, this.#cast.lengthMs)
    this.#drawnMs = nowMs
    this.#show()
    const isOver = this.#isWhole && this.#next === this.#cast.events.length
    this.#frame = isOver ? undefined : requestAnimationFrame(() => this.#draw())
    this.#tell()
  }

  /** Everything up to the position, written in as few pieces as sizes allow. */
  #show(): void {
    const { events, atMs } = this.#cast
    let text = ''
    for (; (atMs[this.#next] ?? Infinity) <= this.#positionMs; this.#next += 1) {
      const [, kind, value] = events[this.#next] ?? [0, 'm', '']
      if (kind === 'o') text += value
      const size = kind === 'r' ? /^(\d{1,4})x(\d{1,4})$/.exec(value) : null
      if (size === null) continue
      this.#screen.write(text)
      text = ''
      this.#screen.resize(Number(size[1]), Number(size[2]))
    }
    if (text !== '') this.#screen.write(text)
  }

  #tell(): void {
    this.#onState({ isPlaying: this.#frame !== undefined, positionMs: this.#positionMs })
  }
}
