import '@xterm/xterm/css/xterm.css'
import { Button, TextInput } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { Terminal } from '@xterm/xterm'
import type { RecordedEvent } from '@muster/contract/api/remote'
import { saveFile } from '../../ui/inputs/save-file.ts'
import { PlayerBar, PlayerPace } from './PlayerBar.tsx'
import classes from './RecordingPlayer.module.css'
import { type Cast, findText, layOut, plainTextOf, writeAsciicast } from './cast.ts'
import type { LoadedRecording } from './use-recording.ts'
import { bindLinks } from './terminal-links.ts'
import { TERMINAL_LOOK } from './terminal-look.ts'

/** The screen that a recording is drawn on. */
interface CastScreen {
  reset: () => void
  resize: (cols: number, rows: number) => void
  write: (text: string) => void
}

interface PlayerState {
  isPlaying: boolean
  positionMs: number
}

const EMPTY: Cast = { events: [], atMs: [], lengthMs: 0 }

/** Plays a recording on a screen, timed by the browser's animation frames. */
class CastPlayer implements Disposable {
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

  /** More events have loaded, or timing has changed; the screen stays. `isWhole`: no more events follow. */
  load(cast: Cast, isWhole: boolean): void {
    this.#cast = cast
    this.#isWhole = isWhole
    if (this.#next > 0) this.#positionMs = cast.atMs[this.#next - 1] ?? this.#positionMs
    this.#notify()
  }

  play(): void {
    if (this.#frame !== undefined) return
    if (this.#isWhole && this.#next === this.#cast.events.length) this.seek(0)
    this.#drawnMs = performance.now()
    this.#frame = requestAnimationFrame(() => this.#draw())
    this.#notify()
  }

  pause(): void {
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame)
    this.#frame = undefined
    this.#notify()
  }

  /** Moves to a time. A terminal cannot go back, so earlier times replay from the start. */
  seek(toMs: number): void {
    this.#positionMs = Math.max(0, Math.min(toMs, this.#cast.lengthMs))
    if ((this.#cast.atMs[this.#next - 1] ?? 0) > this.#positionMs) {
      this.#next = 0
      this.#screen.reset()
    }
    this.#show()
    this.#notify()
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
    this.#notify()
  }

  /** Writes everything up to the position, in as few pieces as possible. */
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

  #notify(): void {
    this.#onState({ isPlaying: this.#frame !== undefined, positionMs: this.#positionMs })
  }
}

interface RecordingPlayerProps {
  recording: LoadedRecording
  /** Metadata of the saved file. */
  name: string
  startedAt: string
  title: string
}

/** A recorded terminal with controls: play, pause, position, speed, search. */
export function RecordingPlayer({ recording, name, startedAt, title }: RecordingPlayerProps) {
  const [skipPauses, setSkipPauses] = useState(true)
  const [speed, setSpeed] = useState('1')
  const cast = useMemo(() => layOut(recording.events, { skipPauses }), [recording.events, skipPauses])
  const { place, player, state } = usePlayer(recording, cast)
  const { isPlaying, positionMs } = state
  const download = () => {
    const { width, height, events } = recording
    saveFile(name, writeAsciicast(events, { width, height, startedAt, title }), 'application/x-asciicast')
  }
  return (
    <div className={classes.player}>
      <section ref={place} className={classes.screen} aria-label="Recorded terminal" />
      <PlayerBar
        player={player}
        isPlaying={isPlaying}
        positionMs={positionMs}
        lengthMs={cast.lengthMs}
        isLoading={!recording.isWhole}
      />
      <div className="toolbar">
        <RecordingSearch
          events={recording.events}
          onFound={(event) => {
            player.current?.pause()
            player.current?.seek(cast.atMs[event] ?? 0)
          }}
        />
        <PlayerPace
          speed={speed}
          onSpeed={(value) => {
            setSpeed(value)
            player.current?.setSpeed(Number(value))
          }}
          skipPauses={skipPauses}
          onSkipPauses={setSkipPauses}
        />
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconDownload size={14} />}
          disabled={!recording.isWhole}
          onClick={download}
        >
          Download
        </Button>
      </div>
    </div>
  )
}

function usePlayer({ width, height, isWhole }: LoadedRecording, cast: Cast) {
  const place = useRef<HTMLDivElement>(null)
  const player = useRef<CastPlayer>(null)
  const [state, setState] = useState<PlayerState>({ isPlaying: false, positionMs: 0 })
  useEffect(() => {
    if (place.current === null) return undefined
    const screen = openScreen(place.current, { cols: width, rows: height })
    const opened = new CastPlayer(screen, setState)
    player.current = opened
    return () => {
      opened[Symbol.dispose]()
      screen[Symbol.dispose]()
      player.current = null
    }
  }, [width, height])
  useEffect(() => player.current?.load(cast, isWhole), [cast, isWhole, width, height])
  return { place, player, state }
}

const RESET = Symbol('reset')
type Step = string | { cols: number; rows: number } | typeof RESET

/** Larger sizes are ignored. */
const [MAX_COLS, MAX_ROWS] = [500, 200]

/** A terminal drops undrawn output beyond fifty million characters. */
const PIECE = 1_000_000

/** A read-only terminal for recordings. It gets the next piece when it has drawn the last one. */
function openScreen(element: HTMLElement, size: { cols: number; rows: number }): CastScreen & Disposable {
  const terminal = new Terminal({ ...TERMINAL_LOOK, disableStdin: true, scrollback: 1000, ...within(size) })
  terminal.open(element)
  bindLinks(terminal)
  let steps: Step[] = []
  let isBusy = false
  const go = () => {
    isBusy = false
    for (let step = steps.shift(); step !== undefined; step = steps.shift()) {
      if (typeof step === 'string') {
        isBusy = true
        terminal.write(step, go)
        return
      }
      if (step === RESET) terminal.reset()
      else terminal.resize(step.cols, step.rows)
    }
  }
  const add = (...more: Step[]) => {
    steps.push(...more)
    if (!isBusy) go()
  }
  return {
    reset: () => {
      steps = []
      add(RESET)
    },
    resize: (cols, rows) => add(within({ cols, rows })),
    write: (text) => {
      for (let from = 0; from < text.length; from += PIECE) add(text.slice(from, from + PIECE))
    },
    [Symbol.dispose]: () => terminal.dispose(),
  }
}

function within({ cols, rows }: { cols: number; rows: number }) {
  return { cols: Math.max(2, Math.min(cols, MAX_COLS)), rows: Math.max(1, Math.min(rows, MAX_ROWS)) }
}

interface RecordingSearchProps {
  events: readonly RecordedEvent[]
  /** Index of the event that wrote the match. */
  onFound: (event: number) => void
}

/** Searches a recorded terminal; Enter goes to the next match, Shift+Enter to the previous one. */
function RecordingSearch({ events, onFound }: RecordingSearchProps) {
  const [text, setText] = useState('')
  const [at, setAt] = useState<number>()
  const isSearched = text !== ''
  const plain = useMemo(() => (isSearched ? plainTextOf(events) : undefined), [events, isSearched])
  const hits = useMemo(() => (plain === undefined ? [] : findText(plain, text)), [plain, text])
  const go = (by: number) => {
    if (hits.length === 0) return
    const next = at === undefined ? (by > 0 ? 0 : hits.length - 1) : (at + by + hits.length) % hits.length
    setAt(next)
    onFound(hits[next] ?? 0)
  }
  return (
    <div className={classes.search}>
      <TextInput
        className={classes.field}
        size="xs"
        type="search"
        aria-label="Search recorded terminal"
        placeholder="Search"
        value={text}
        onChange={({ currentTarget }) => {
          setText(currentTarget.value)
          setAt(undefined)
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') go(event.shiftKey ? -1 : 1)
        }}
      />
      <Button size="compact-sm" variant="default" disabled={hits.length === 0} onClick={() => go(-1)}>
        Previous
      </Button>
      <Button size="compact-sm" variant="default" disabled={hits.length === 0} onClick={() => go(1)}>
        Next
      </Button>
      <span className={classes.time} role="status">
        {isSearched && describeHits(hits.length, at)}
      </span>
    </div>
  )
}

function describeHits(count: number, at: number | undefined): string {
  if (count === 0) return 'Not found'
  return at === undefined ? `${count} found` : `${at + 1} of ${count}`
}
