import { Button, Select, Slider, Switch } from '@mantine/core'
import '@mantine/core/styles/Slider.css'
import '@mantine/core/styles/Switch.css'
import { IconDownload, IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { saveFile } from '../../ui/save-file.ts'
import classes from './RecordingPlayer.module.css'
import { RecordingSearch } from './RecordingSearch.tsx'
import { type Cast, layOut, writeAsciicast } from './cast.ts'
import { CastPlayer, type PlayerState } from './cast-player.ts'
import { openScreen } from './cast-screen.ts'
import type { LoadedRecording } from './use-recording.ts'

const SPEEDS = ['0.5', '1', '2', '4', '8']

interface RecordingPlayerProps {
  recording: LoadedRecording
  /** Of the file that is saved. */
  name: string
  startedAt: string
  title: string
}

/** A recorded terminal with what moves it: play, pause, place, speed, search. */
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
      <section ref={place} className={classes.screen} aria-label="What the terminal showed" />
      <div className={classes.controls}>
        <Button
          size="compact-sm"
          variant="default"
          leftSection={isPlaying ? <IconPlayerPause size={14} /> : <IconPlayerPlay size={14} />}
          data-autofocus
          onClick={() => (isPlaying ? player.current?.pause() : player.current?.play())}
        >
          {isPlaying ? 'Pause' : 'Play'}
        </Button>
        <Slider
          className={classes.place}
          thumbLabel="Place in the recording"
          label={tellTime}
          min={0}
          max={Math.max(1, cast.lengthMs)}
          step={100}
          value={positionMs}
          onChange={(value) => player.current?.seek(value)}
        />
        <span className={classes.time}>
          {tellTime(positionMs)} / {tellTime(cast.lengthMs)}
          {!recording.isWhole && ' ...'}
        </span>
      </div>
      <div className={classes.controls}>
        <RecordingSearch
          events={recording.events}
          onFound={(event) => {
            player.current?.pause()
            player.current?.seek(cast.atMs[event] ?? 0)
          }}
        />
        <Select
          className={classes.speed}
          size="xs"
          aria-label="Speed"
          allowDeselect={false}
          data={SPEEDS.map((value) => ({ value, label: `${value}x` }))}
          value={speed}
          onChange={(value) => {
            if (value === null) return
            setSpeed(value)
            player.current?.setSpeed(Number(value))
          }}
        />
        <Switch
          size="xs"
          label="Skip pauses"
          checked={skipPauses}
          onChange={({ currentTarget }) => setSkipPauses(currentTarget.checked)}
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

/** `1:02:03`, `2:03`. */
function tellTime(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  const [minutes, rest] = [Math.floor(seconds / 60), seconds % 60]
  const two = (value: number) => `${value}`.padStart(2, '0')
  return minutes < 60
    ? `${minutes}:${two(rest)}`
    : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(rest)}`
}
