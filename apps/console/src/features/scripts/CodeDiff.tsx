import { type DiffLine, diffLines } from '@muster/rules/text/line-diff'
import { useMemo } from 'react'
import classes from './Versions.module.css'

const SIGNS: Record<DiffLine['kind'], string> = { same: ' ', removed: '−', added: '+' }
const SAID: Record<DiffLine['kind'], string> = { same: '', removed: 'removed: ', added: 'added: ' }

interface CodeDiffProps {
  before: string
  after: string
  /** Text above the lines, by the number of differing lines. */
  summary: (changed: number) => string
}

/** Two versions of a script's code, line by line. */
export function CodeDiff({ before, after, summary }: CodeDiffProps) {
  const lines = useMemo(() => diffLines(before, after), [before, after])
  return (
    <>
      <p className={classes.summary} role="status">
        {summary(lines.filter(({ kind }) => kind !== 'same').length)}
      </p>
      <div className={`${classes.code} mono`} tabIndex={0} role="group" aria-label="Code, old and new">
        {lines.map((line, index) => (
          <div key={index} className={classes.line} data-kind={line.kind}>
            <span className={classes.number}>{line.before}</span>
            <span className={classes.number}>{line.after}</span>
            <span aria-hidden>{SIGNS[line.kind]}</span>
            <span className={classes.text}>
              {line.kind !== 'same' && <span className={classes.said}>{SAID[line.kind]}</span>}
              {line.text}
            </span>
          </div>
        ))}
      </div>
    </>
  )
}
