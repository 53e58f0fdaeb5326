import { Button } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { saveFile } from '../../ui/inputs/save-file.ts'
import { PlayerBar, PlayerPace } from './PlayerBar.tsx'
import classes from './RecordingPlayer.module.css'
import { RecordingSearch } from './RecordingSearch.tsx'
import { type Cast, layOut, writeAsciicast } from './cast.ts'
import { CastPlayer, type PlayerState } from './cast-player.ts'
import { openScreen } from './cast-screen.ts'
import type { LoadedRecording } from './use-recording.ts'

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
      <PlayerBar
        player={player}
        isPlaying={isPlaying}
        positionMs={positionMs}
        lengthMs={cast.lengthMs}
        isLoading={!recording.isWhole}
      />
      <div className={classes.controls}>
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
