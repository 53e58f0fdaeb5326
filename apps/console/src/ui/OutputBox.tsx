import { memo, useLayoutEffect, useRef } from 'react'
import classes from './OutputBox.module.css'

interface OutputBoxProps {
  label: string
  /** Pieces in order; pieces that stay the same object are not drawn again. `tone` tells them apart. */
  segments: readonly { text: string; tone?: 'negative' | undefined }[]
  /** Said while there is nothing. */
  empty: string
  /** More is expected; then the end stays in view unless one has scrolled away from it. */
  growing: boolean
}

/** Output of a program: text only, in the face of a terminal. */
export function OutputBox({ label, segments, empty, growing }: OutputBoxProps) {
  const box = useRef<HTMLDivElement>(null)
  const atEnd = useRef(true)
  useLayoutEffect(() => {
    if (box.current && atEnd.current && growing) box.current.scrollTop = box.current.scrollHeight
  }, [segments, growing])
  return (
    <div
      ref={box}
      role="region"
      aria-label={label}
      tabIndex={0}
      className={classes.box}
      onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
        atEnd.current = scrollTop + clientHeight > scrollHeight - NEAR_PX
      }}
    >
      {segments.length === 0 ? (
        <span className={classes.empty}>{empty}</span>
      ) : (
        <pre className={classes.text}>
          {segments.map((segment, index) => (
            <Piece key={index} text={segment.text} tone={segment.tone} />
          ))}
        </pre>
      )}
    </div>
  )
}

/** So near to the end counts as the end. */
const NEAR_PX = 24

const Piece = memo(function Piece({ text, tone }: { text: string; tone: 'negative' | undefined }) {
  return (
    <span className={classes.piece} data-tone={tone}>
      {text}
    </span>
  )
})
