import { memo, useLayoutEffect, useMemo, useRef } from 'react'
import classes from './OutputBox.module.css'

interface Segment {
  text: string
  tone?: 'negative' | undefined
}

interface OutputBoxProps {
  label: string
  /** Pieces in order; unchanged pieces are not drawn again. `tone` distinguishes them. */
  segments: readonly Segment[]
  /** Shown while there is no output. */
  empty: string
  /** More output is expected: the end stays in view unless the user has scrolled away from it. */
  growing: boolean
}

/** Output of a program: plain text in a monospaced font. */
export function OutputBox({ label, segments, empty, growing }: OutputBoxProps) {
  const box = useRef<HTMLDivElement>(null)
  const atEnd = useRef(true)
  const blocks = useMemo(() => toBlocks(segments), [segments])
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
        <span className="dim">{empty}</span>
      ) : (
        <pre className={classes.text}>
          {blocks.map((block, index) => (
            <Block key={index} segments={block} />
          ))}
        </pre>
      )}
    </div>
  )
}

/** Pixels from the end that still count as the end. */
const NEAR_PX = 24

const LINE_PX = 18
const BLOCK_CHARS = 4096

/**
 * Whole lines together, some thousand characters each. The browser lays out only the blocks in view: a megabyte of
 * half a million short lines blocked it for nine seconds as one text.
 */
function toBlocks(segments: readonly Segment[]): Segment[][] {
  const blocks: Segment[][] = []
  let chars = BLOCK_CHARS
  let isWhole = true
  for (const segment of segments) {
    if (isWhole && chars >= BLOCK_CHARS) {
      blocks.push([])
      chars = 0
    }
    blocks.at(-1)?.push(segment)
    chars += segment.text.length
    isWhole = segment.text.endsWith('\n')
  }
  return blocks
}

const Block = memo(
  function Block({ segments }: { segments: readonly Segment[] }) {
    const lines = segments.reduce((sum, { text }) => sum + countLines(text), 0)
    return (
      <span className={classes.block} style={{ containIntrinsicBlockSize: `auto ${lines * LINE_PX}px` }}>
        {segments.map(({ text, tone }, index) => (
          <span key={index} className={classes.piece} data-tone={tone}>
            {text}
          </span>
        ))}
      </span>
    )
  },
  (before, after) =>
    before.segments.length === after.segments.length &&
    before.segments.every(({ text, tone }, index) => {
      const other = after.segments[index]
      return text === other?.text && tone === other.tone
    }),
)

function countLines(text: string): number {
  let lines = 0
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1
  return lines
}
