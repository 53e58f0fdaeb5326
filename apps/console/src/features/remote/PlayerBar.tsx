import { Button, Select, Slider, Switch } from '@mantine/core'
import '@mantine/core/styles/Slider.css'
import '@mantine/core/styles/Switch.css'
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react'
import classes from './RecordingPlayer.module.css'

const SPEEDS = ['0.5', '1', '2', '4', '8']

/** Controls of a player. */
export interface Playing {
  play: () => void
  pause: () => void
  seek: (toMs: number) => void
}

interface PlayerBarProps {
  player: React.RefObject<Playing | null>
  isPlaying: boolean
  positionMs: number
  lengthMs: number
  /** More of the recording is loading. */
  isLoading: boolean
}

/** Play, pause, and the position in a recording. */
export function PlayerBar({ player, isPlaying, positionMs, lengthMs, isLoading }: PlayerBarProps) {
  return (
    <div className="toolbar">
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
        thumbLabel="Position in the recording"
        label={formatPosition}
        min={0}
        max={Math.max(1, lengthMs)}
        step={100}
        value={positionMs}
        onChange={(value) => player.current?.seek(value)}
      />
      <span className={classes.time}>
        {formatPosition(positionMs)} / {formatPosition(lengthMs)}
        {isLoading && ' ...'}
      </span>
    </div>
  )
}

interface PlayerPaceProps {
  speed: string
  onSpeed: (speed: string) => void
  skipPauses: boolean
  onSkipPauses: (skip: boolean) => void
}

/** Playback speed. */
export function PlayerPace({ speed, onSpeed, skipPauses, onSkipPauses }: PlayerPaceProps) {
  return (
    <>
      <Select
        className={classes.speed}
        size="xs"
        aria-label="Speed"
        allowDeselect={false}
        data={SPEEDS.map((value) => ({ value, label: `${value}x` }))}
        value={speed}
        onChange={(value) => value !== null && onSpeed(value)}
      />
      <Switch
        size="xs"
        label="Skip pauses"
        checked={skipPauses}
        onChange={({ currentTarget }) => onSkipPauses(currentTarget.checked)}
      />
    </>
  )
}

/** `1:02:03`, `2:03`. */
function formatPosition(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  const [minutes, rest] = [Math.floor(seconds / 60), seconds % 60]
  const two = (value: number) => `${value}`.padStart(2, '0')
  return minutes < 60
    ? `${minutes}:${two(rest)}`
    : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(rest)}`
}
