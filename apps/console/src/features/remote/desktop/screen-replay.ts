import type { Laid } from '../cast.ts'
import type { Playing } from '../PlayerBar.tsx'
import type { ReplayScreen } from './replay-screen.ts'

/** Milliseconds, and bytes of the VNC server or a pointer position. */
export type ReplayEvent = readonly [ms: number, what: Uint8Array | { x: number; y: number }]

export interface ReplayState {
  isPlaying: boolean
  positionMs: number
}

/** noVNC draws pictures with a delay, and buffers forty megabytes at most. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024
/** A VNC server has sent its first picture by then. */
const FIRST_PICTURE_MS = 500
const EMPTY: Laid<ReplayEvent> = { events: [], atMs: [], lengthMs: 0 }

/**
 * Plays the stream of a desktop. Each picture builds on those before it, so a position is reached by drawing everything
 * before it as fast as possible: from the current position, or from the start for earlier ones.
 */
export class ScreenReplay implements Playing, Disposable {
  #openScreen: () => ReplayScreen
  #onState: (state: ReplayState) => void
  #screen: ReplayScreen
  #laid = EMPTY
  #isWhole = false
  #next = 0
  #positionMs = 0
  #speed = 1
  #isPlaying = false
  #frame: number | undefined
  #drawnMs = 0

  constructor(openScreen: () => ReplayScreen, onState: (state: ReplayState) => void) {
    this.#openScreen = openScreen
    this.#onState = onState
    this.#screen = openScreen()
  }

  setSpeed(times: number): void {
    this.#speed = times
  }

  /** More events have loaded, or timing has changed; the screen stays. `isWhole`: no more events follow. */
  load(laid: Laid<ReplayEvent>, isWhole: boolean): void {
    const isFirst = this.#laid.events.length === 0
    this.#laid = laid
    this.#isWhole = isWhole
    if (this.#next > 0) this.#positionMs = laid.atMs[this.#next - 1] ?? this.#positionMs
    // So that a first picture shows.
    if (isFirst) this.#positionMs = Math.min(FIRST_PICTURE_MS, laid.lengthMs)
    this.#go()
  }

  play(): void {
    if (this.#isWhole && this.#next === this.#laid.events.length) this.seek(0)
    this.#isPlaying = true
    this.#go()
  }

  pause(): void {
    this.#isPlaying = false
    this.#notify()
  }

  seek(toMs: number): void {
    this.#positionMs = Math.max(0, Math.min(toMs, this.#laid.lengthMs))
    if ((this.#laid.atMs[this.#next - 1] ?? 0) > this.#positionMs) {
      this.#next = 0
      this.#screen[Symbol.dispose]()
      this.#screen = this.#openScreen()
    }
    this.#go()
  }

  [Symbol.dispose](): void {
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame)
    this.#frame = undefined
    this.#screen[Symbol.dispose]()
  }

  #go(): void {
    if (this.#frame === undefined) {
      this.#drawnMs = performance.now()
      this.#frame = requestAnimationFrame(() => this.#draw())
    }
    this.#notify()
  }

  #draw(): void {
    const nowMs = performance.now()
    const passedMs = (nowMs - this.#drawnMs) * this.#speed
    this.#drawnMs = nowMs
    // The clock stops until everything before is drawn.
    const isBehind = !this.#show()
    if (this.#isPlaying && !isBehind) {
      this.#positionMs = Math.min(this.#positionMs + passedMs, this.#laid.lengthMs)
      if (this.#isWhole && this.#next === this.#laid.events.length) this.#isPlaying = false
    }
    this.#frame = this.#isPlaying || isBehind ? requestAnimationFrame(() => this.#draw()) : undefined
    this.#notify()
  }

  /** False = more data is due, and has to wait. */
  #show(): boolean {
    const { events, atMs } = this.#laid
    for (; (atMs[this.#next] ?? Infinity) <= this.#positionMs; this.#next += 1) {
      if (this.#screen.waitingBytes() > MAX_WAITING_BYTES) return false
      const what = events[this.#next]?.[1]
      if (what instanceof Uint8Array) this.#screen.receive(what)
      else if (what !== undefined) this.#screen.point(what.x, what.y)
    }
    return true
  }

  #notify(): void {
    this.#onState({ isPlaying: this.#isPlaying, positionMs: this.#positionMs })
  }
}
