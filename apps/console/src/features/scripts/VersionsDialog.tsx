import { Button } from '@mantine/core'
import {
  getScript,
  getScriptVersion,
  listScriptVersions,
  restoreScriptVersion,
  type ScriptContent,
  type ScriptDetail,
  type ScriptVersion,
} from '@muster/contract/api/scripts'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { FormError } from '../../app/dialogs/FormDialog.tsx'
import { GuardedDialog, LoadingState } from '../../app/dialogs/GuardedDialog.tsx'
import { call, query } from '../../app/api/api.ts'
import { type AddressedDialogProps, useDialog } from '../../app/dialogs/use-dialog.ts'
import { lazyPart } from '../../app/shell/lazy-part.ts'
import { notifyDone } from '../../app/shell/notify.ts'
import { useMay } from '../../app/api/queries.ts'
import { ConfirmDialog } from '../../ui/dialog/ConfirmDialog.tsx'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { EmptyState, SkeletonRows } from '../../ui/layout/States.tsx'
import { Time } from '../../ui/layout/Time.tsx'
import classes from './Versions.module.css'
import { platformsLabel, SHELL_LABELS } from './script-labels.ts'

const CodeDiff = lazyPart(() => import('./CodeDiff.tsx').then((file) => file.CodeDiff))

/** Earlier versions of a script, each compared with the current one; any can be restored. */
export function VersionsDialog({ item = '', close }: AddressedDialogProps) {
  return (
    <GuardedDialog title="Versions" needs="can_list_scripts" size="full" onClose={close}>
      <Versions id={Number(item)} />
    </GuardedDialog>
  )
}

function Versions({ id }: { id: number }) {
  const params = { id }
  const { open } = useDialog()
  const mayManage = useMay('can_manage_scripts')
  const { data: script, error: scriptError } = useQuery(query(getScript, { params }))
  const { data: versions, error, refetch } = useQuery(query(listScriptVersions, { params }))
  const [chosenId, setChosenId] = useState<number>()
  const [restoring, setRestoring] = useState<ScriptVersion>()
  const older = versions?.slice(1) ?? []
  const chosen = older.find((version) => version.id === chosenId) ?? older[0]
  const mayRestore = mayManage && chosen !== undefined && script?.script_type === 'userdefined'
  return (
    <>
      <Dialog
        title={script === undefined ? 'Versions' : `Versions of ${script.name}`}
        size="full"
        onClose={() => open('script', id)}
        footer={
          <>
            <Button variant="default" onClick={() => open('script', id)} data-autofocus>
              Back to script
            </Button>
            {mayRestore && <Button onClick={() => setRestoring(chosen)}>Restore version</Button>}
          </>
        }
      >
        {versions === undefined || script === undefined ? (
          <LoadingState error={error ?? scriptError} onRetry={() => void refetch()} rows={6} />
        ) : chosen === undefined ? (
          <EmptyState message="No earlier versions. Each save keeps the version before it." />
        ) : (
          <div className={classes.layout}>
            <ul className={classes.list} aria-label="Versions">
              {older.map((version) => (
                <li key={version.id}>
                  <button
                    type="button"
                    className={classes.version}
                    aria-current={version.id === chosen.id}
                    onClick={() => setChosenId(version.id)}
                  >
                    <Time instant={version.saved_at} />
                    <span className="dim small">{version.username || 'unknown user'}</span>
                  </button>
                </li>
              ))}
            </ul>
            <VersionDiff script={script} versionId={chosen.id} />
          </div>
        )}
      </Dialog>
      {restoring !== undefined && script !== undefined && (
        <RestoreDialog
          params={{ id, version_id: restoring.id }}
          modified={script.modified}
          savedAt={restoring.saved_at}
          onClose={() => setRestoring(undefined)}
        />
      )}
    </>
  )
}

interface RestoreDialogProps {
  params: { id: number; version_id: number }
  /** The version of the comparison. */
  modified: string
  savedAt: string
  onClose: () => void
}

function RestoreDialog({ params, modified, savedAt, onClose }: RestoreDialogProps) {
  const queryClient = useQueryClient()
  const { open } = useDialog()
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => call(restoreScriptVersion, { params, body: { modified } }),
    meta: { errorsShown: true },
    onSuccess: async () => {
      notifyDone('Version restored.')
      await queryClient.invalidateQueries()
      open('script', params.id)
    },
  })
  return (
    <ConfirmDialog
      title="Restore this version?"
      message={
        <>
          {error !== null && <FormError error={error} />}
          Restores the script of <Time instant={savedAt} /> with its arguments and settings. The current
          version is kept as well.
        </>
      }
      confirmLabel="Restore version"
      busy={isPending}
      onConfirm={() => mutate()}
      onClose={onClose}
    />
  )
}

interface VersionDiffProps {
  /** The current version. */
  script: ScriptDetail
  versionId: number
}

/** Changes from an older version to the current one: settings first, then the code line by line. */
function VersionDiff({ script, versionId }: VersionDiffProps) {
  const params = { id: script.id, version_id: versionId }
  const { data, error, refetch } = useQuery(query(getScriptVersion, { params }))
  const content = data?.content
  if (content === undefined) return <LoadingState error={error} onRetry={() => void refetch()} rows={6} />
  const settings = diffContent(content, script)
  return (
    <section className={classes.diff} aria-label="Changes since this version">
      {settings.length > 0 && (
        <ul className={classes.settings}>
          {settings.map(({ label, from, to }) => (
            <li key={label}>
              {label}: <bdi>{from}</bdi> → <bdi>{to}</bdi>
            </li>
          ))}
        </ul>
      )}
      <Suspense fallback={<SkeletonRows rows={6} height={20} />}>
        <CodeDiff
          before={content.script_body}
          after={script.script_body}
          summary={(changed) =>
            changed === 0
              ? 'The code is the same.'
              : `${changed} ${changed === 1 ? 'line of code differs' : 'lines of code differ'} from the current version.`
          }
        />
      </Suspense>
    </section>
  )
}

/** Differing settings of two versions of a script. */
function diffContent(
  before: ScriptContent,
  after: ScriptContent,
): { label: string; from: string; to: string }[] {
  const [old, fresh] = [factsOf(before), factsOf(after)]
  return Object.keys(old)
    .filter((label) => old[label] !== fresh[label])
    .map((label) => ({ label, from: old[label] || 'empty', to: fresh[label] || 'empty' }))
}

function factsOf(content: ScriptContent): Record<string, string> {
  return {
    Name: content.name,
    Description: content.description,
    Category: content.category,
    Shell: SHELL_LABELS[content.shell],
    Platforms: platformsLabel(content.supported_platforms),
    Arguments: content.args.join(' · '),
    'Environment variables': content.env_vars.join(' · '),
    Parameters: content.parameters.map(({ name, type }) => `${name} (${type})`).join(' · '),
    'Time limit': `${content.default_timeout} s`,
    'Syntax help': content.syntax,
    'Run as user': content.run_as_user ? 'yes' : 'no',
    'File name': content.filename,
  }
}
