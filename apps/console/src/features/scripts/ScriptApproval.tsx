import { Button } from '@mantine/core'
import { approveScript, getScriptApproval } from '@muster/contract/api/scripts'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { FormError } from '../../app/dialogs/FormDialog.tsx'
import { LoadingState } from '../../app/dialogs/GuardedDialog.tsx'
import { call, query } from '../../app/api/api.ts'
import { lazyPart } from '../../app/shell/lazy-part.ts'
import { notifyDone } from '../../app/shell/notify.ts'
import { useMay } from '../../app/api/queries.ts'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { SkeletonRows } from '../../ui/layout/States.tsx'
import { Time } from '../../ui/layout/Time.tsx'
import classes from './ScriptApproval.module.css'
import { SHELL_LABELS } from './script-labels.ts'

const CodeDiff = lazyPart(() => import('./CodeDiff.tsx').then((file) => file.CodeDiff))

/** For a script that alert templates run on the server: the stored version does not run before approval. */
export function WaitingBadge() {
  return <span className={classes.badge}>Waiting for approval</span>
}

interface WaitingNoteProps {
  scriptId: number
  name: string
}

/** The badge with a link to the waiting version. */
export function WaitingNote({ scriptId, name }: WaitingNoteProps) {
  const [open, setOpen] = useState(false)
  const mayApprove = useMay('can_run_server_scripts')
  const mayRead = useMay('can_list_scripts')
  return (
    <>
      <WaitingBadge />
      {mayRead && (
        <Button variant="default" size="compact-sm" onClick={() => setOpen(true)}>
          {mayApprove ? 'Approve version' : 'Show changes'}
        </Button>
      )}
      {open && (
        <ApprovalDialog
          scriptId={scriptId}
          name={name}
          mayApprove={mayApprove}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  )
}

interface ApprovalDialogProps extends WaitingNoteProps {
  mayApprove: boolean
  onClose: () => void
}

function ApprovalDialog({ scriptId, name, mayApprove, onClose }: ApprovalDialogProps) {
  const queryClient = useQueryClient()
  const params = { id: scriptId }
  const { data, error, refetch } = useQuery(query(getScriptApproval, { params }))
  const approval = useMutation({
    mutationFn: (hash: string) => call(approveScript, { params, body: { hash } }),
    meta: { errorsShown: true },
    onSuccess: async () => {
      notifyDone(`${name} may run on the server.`)
      await queryClient.invalidateQueries()
      onClose()
    },
  })
  const { approved, current, templates = [] } = data ?? {}
  return (
    <Dialog
      title={`Version of ${name} for the server`}
      size="full"
      onClose={onClose}
      footer={
        <>
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
          {mayApprove && (
            <Button
              disabled={current === undefined}
              loading={approval.isPending}
              onClick={() => current !== undefined && approval.mutate(current.hash)}
            >
              Approve version
            </Button>
          )}
        </>
      }
    >
      {current === undefined || approved === undefined ? (
        <LoadingState error={error} onRetry={() => void refetch()} rows={6} />
      ) : (
        <section className={classes.approval} aria-label="Changes since the approval">
          {approval.error !== null && <FormError error={approval.error} />}
          {!mayApprove && <p className={classes.note}>Requires the permission “Server scripts”.</p>}
          {templates.length > 0 && (
            <p className={classes.note}>
              Alert templates with this script: <bdi>{templates.join(', ')}</bdi>
            </p>
          )}
          {approved === null ? (
            <p className={classes.note}>No version has been approved yet.</p>
          ) : (
            <p className={classes.note}>
              Approved: <Time instant={approved.approved_at} />
              {approved.username !== '' && (
                <>
                  , <bdi>{approved.username}</bdi>
                </>
              )}
            </p>
          )}
          {approved !== null && approved.shell !== current.shell && (
            <p className={classes.note}>
              Shell: {SHELL_LABELS[approved.shell]} → {SHELL_LABELS[current.shell]}
            </p>
          )}
          <Suspense fallback={<SkeletonRows rows={6} height={20} />}>
            <CodeDiff
              before={approved?.code ?? ''}
              after={current.code}
              summary={(changed) =>
                changed === 0
                  ? 'The code equals the approved version.'
                  : `${changed} ${changed === 1 ? 'line of code differs' : 'lines of code differ'} from the approved version.`
              }
            />
          </Suspense>
        </section>
      )}
    </Dialog>
  )
}
