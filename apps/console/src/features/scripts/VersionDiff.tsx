import { type ScriptDetail, getScriptVersion } from '@muster/contract/api/scripts'
import { useQuery } from '@tanstack/react-query'
import { LoadingState } from '../../app/dialogs/GuardedDialog.tsx'
import { query } from '../../app/api/api.ts'
import { CodeDiff } from './CodeDiff.tsx'
import classes from './Versions.module.css'
import { diffContent } from './content-diff.ts'

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
  if (content === undefined) return <LoadingState error={error} onRetry={() => void refetch()} rows={6} />
  const settings = diffContent(content, script)
  return (
    <section className={classes.diff} aria-label="What has changed since">
      {settings.length > 0 && (
        <ul className={classes.settings}>
          {settings.map(({ label, from, to }) => (
            <li key={label}>
              {label}: <bdi>{from}</bdi> → <bdi>{to}</bdi>
            </li>
          ))}
        </ul>
      )}
      <CodeDiff
        before={content.script_body}
        after={script.script_body}
        summary={(changed) =>
          changed === 0 ? 'The code is the same.' : `${changed} lines of code differ from what it is now.`
        }
      />
    </section>
  )
}
