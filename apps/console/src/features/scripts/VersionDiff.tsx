import { type ScriptDetail, getScriptVersion } from '@muster/contract/api/scripts'
import { type DiffLine, diffLines } from '@muster/rules/line-diff'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { LoadingState } from '../../app/GuardedDialog.tsx'
import { query } from '../../app/api.ts'
import classes from './Versions.module.css'
import { diffContent } from './content-diff.ts'

const SIGNS: Record<DiffLine['kind'], string> = { same: ' ', removed: '−', added: '+' }
const SAID: Record<DiffLine['kind'], string> = { same: '', removed: 'removed: ', added: 'added: ' }

interface VersionDiffProps {
  /** As it is now. */
  script: ScriptDetail
  versionId: number
}

/** From an older state of a script to what it is now: settings first, then the code line by line. */
export function VersionDiff({ script, versionId }: VersionDiffProps) {
  const params = { id: script.id, version_id: versionId }
  const { data, error, refetch } = useQuery(query(getScriptVersion, { params }))
  const content = data?.content
  const lines = useMemo(
    () => (content === undefined ? [] : diffLines(content.script_body, script.script_body)),
    [content, script.script_body],
  )
  if (content === undefined) return <LoadingState error={error} onRetry={() => void refetch()} rows={6} />
  const settings = diffContent(content, script)
  const changed = lines.filter(({ kind }) => kind !== 'same').length
  return (
    <section className={classes.diff} aria-label="What has changed since">
      <p className={classes.summary} role="status">
        {changed === 0 ? 'The code is the same.' : `${changed} lines of code differ from what it is now.`}
      </p>
      {settings.length > 0 && (
        <ul className={classes.settings}>
          {settings.map(({ label, from, to }) => (
            <li key={label}>
              {label}: <bdi>{from}</bdi> → <bdi>{to}</bdi>
            </li>
          ))}
        </ul>
      )}
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
    </section>
  )
}
