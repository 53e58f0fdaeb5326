import { useEffect, useMemo, useRef, useState } from 'react'
import { PlayerBar, PlayerPace } from '../PlayerBar.tsx'
import { type Laid, layOut } from '../cast.ts'
import classes from './ScreenPlayer.module.css'
import { openReplayScreen } from './replay-screen.ts'
import { type ReplayEvent, type ReplayState, ScreenReplay } from './screen-replay.ts'
import type { LoadedScreen } from './use-screen-recording.ts'

/** A recorded desktop with controls: play, pause, position, speed. */
export function ScreenPlayer({ recording }: { recording: LoadedScreen }) {
  const [skipPauses, setSkipPauses] = useState(true)
  const [speed, setSpeed] = useState('1')
  const laid = useMemo(() => layOut(recording.events, { skipPauses }), [recording.events, skipPauses])
  const { place, player, state, isBroken } = useReplay(laid, recording.isWhole)
  return (
    <div className={classes.player}>
      <section ref={place} className={classes.screen} aria-label="Desktop" />
      {isBroken && (
        <p className={classes.trouble} role="alert">
          The rest of the recording cannot be shown. Earlier positions may work.
        </p>
      )}
      <PlayerBar player={player} {...state} lengthMs={laid.lengthMs} isLoading={!recording.isWhole} />
      <div className="toolbar">
        <PlayerPace
          speed={speed}
          onSpeed={(value) => {
            setSpeed(value)
            player.current?.setSpeed(Number(value))
          }}
          skipPauses={skipPauses}
          onSkipPauses={setSkipPauses}
        />
      </div>
    </div>
  )
}

function useReplay(laid: Laid<ReplayEvent>, isWhole: boolean) {
  const place = useRef<HTMLDivElement>(null)
  const player = useRef<ScreenReplay>(null)
  const [state, setState] = useState<ReplayState>({ isPlaying: false, positionMs: 0 })
  const [isBroken, setBroken] = useState(false)
  useEffect(() => {
    const { current: element } = place
    if (element === null) return undefined
    const openScreen = () => {
      setBroken(false)
      return openReplayScreen(element, {
        pointerClass: classes.pointer ?? '',
        onTrouble: () => setBroken(true),
      })
    }
    const opened = new ScreenReplay(openScreen, setState)
    player.current = opened
    return () => {
      opened[Symbol.dispose]()
      player.current = null
    }
  }, [])
  useEffect(() => player.current?.load(laid, isWhole), [laid, isWhole])
  return { place, player, state, isBroken }
}
