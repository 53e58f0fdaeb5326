import classes from './AuditDiff.module.css'
import { type DiffLine, diffValues, listValue } from './audit-diff.ts'

interface AuditDiffProps {
  before: unknown
  after: unknown
}

/** The stored values of an entry, before and after, with differences marked. */
export function AuditDiff({ before, after }: AuditDiffProps) {
  if (isAbsent(before) && isAbsent(after)) {
    return <p className={classes.none}>No values recorded.</p>
  }
  if (isAbsent(before)) return <OneSide title="After" value={after} />
  if (isAbsent(after)) return <OneSide title="Before" value={before} />
  const lines = diffValues(before, after)
  return (
    <table className={classes.diff}>
      <thead>
        <tr>
          <th scope="col">Before</th>
          <th scope="col">After</th>
        </tr>
      </thead>
      <tbody>
        {lines.map((line, index) => (
          <DiffRow key={index} line={line} />
        ))}
      </tbody>
    </table>
  )
}

const WORDS = { same: '', changed: 'changed', added: 'added', removed: 'removed' } as const

function DiffRow({ line: { depth, left, right, mark } }: { line: DiffLine }) {
  const indent = { paddingInlineStart: `${2 + depth * 2}ch` }
  const isMarked = mark !== 'same'
  return (
    <tr data-mark={mark}>
      <td data-side="left" data-empty={left === undefined || undefined} style={indent}>
        {isMarked && left !== undefined && <Sign sign="−" word={WORDS[mark]} />}
        {left}
      </td>
      <td data-side="right" data-empty={right === undefined || undefined} style={indent}>
        {isMarked && right !== undefined && <Sign sign="+" word={WORDS[mark]} />}
        {right}
      </td>
    </tr>
  )
}

/** The mark before a line, with text for screen readers. */
function Sign({ sign, word }: { sign: string; word: string }) {
  return (
    <>
      <span aria-hidden className={classes.sign}>
        {sign}
      </span>
      <span className="read-only-aloud">{word}: </span>
    </>
  )
}

function OneSide({ title, value }: { title: string; value: unknown }) {
  return (
    <section className={classes.one} aria-label={title}>
      <h3 className={classes.title}>{title}</h3>
      <pre className={classes.text}>{listValue(value).join('\n')}</pre>
    </section>
  )
}

const isAbsent = (value: unknown): boolean => value === null || value === undefined
