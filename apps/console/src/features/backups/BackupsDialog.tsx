import '@mantine/core/styles/Alert.css'
import { Alert, Button } from '@mantine/core'
import { type Backups, getBackups, startBackup } from '@muster/contract/api/backups'
import { formatFileSize } from '@muster/rules/text/units'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call, query } from '../../app/api/api.ts'
import { useMay } from '../../app/api/queries.ts'
import { FormError } from '../../app/dialogs/FormDialog.tsx'
import { GuardedDialog, StateDialog } from '../../app/dialogs/GuardedDialog.tsx'
import type { AddressedDialogProps } from '../../app/dialogs/use-dialog.ts'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { EmptyState } from '../../ui/layout/States.tsx'
import { Time } from '../../ui/layout/Time.tsx'
import classes from './Backups.module.css'

const TITLE = 'Backups'
const backupsQuery = query(getBackups, {})

/** The schedule, the last result and the files of the server's backups. */
export function BackupsDialog({ close }: AddressedDialogProps) {
  return (
    <GuardedDialog title={TITLE} needs="can_view_core_settings" onClose={close}>
      <LoadedBackups close={close} />
    </GuardedDialog>
  )
}

function LoadedBackups({ close }: { close: () => void }) {
  const { data, error, refetch } = useQuery({ ...backupsQuery, staleTime: 0 })
  const mayStart = useMay('can_edit_core_settings')
  const queryClient = useQueryClient()
  const start = useMutation({
    mutationFn: () => call(startBackup, {}),
    meta: { errorsShown: true },
    onSuccess: (backups) => queryClient.setQueryData(backupsQuery.queryKey, backups),
  })
  if (data === undefined)
    return <StateDialog title={TITLE} onClose={close} error={error} onRetry={() => void refetch()} />
  const isOffered = mayStart && data.schedule !== null
  return (
    <Dialog
      title={TITLE}
      onClose={close}
      footer={
        <>
          <Button variant="default" onClick={close}>
            Close
          </Button>
          {isOffered && (
            <Button loading={start.isPending || data.running} onClick={() => start.mutate()}>
              Back up now
            </Button>
          )}
        </>
      }
    >
      {start.error !== null && <FormError error={start.error} />}
      {data.schedule === null ? <NotScheduled /> : <Scheduled backups={data} schedule={data.schedule} />}
    </Dialog>
  )
}

function NotScheduled() {
  return (
    <EmptyState message="No backups are scheduled.">
      <p className={classes.text}>
        Set <code>MUSTER_BACKUP_FOLDER</code> and <code>MUSTER_BACKUP_PASSPHRASE</code>, and restart the
        server.
      </p>
    </EmptyState>
  )
}

type Schedule = NonNullable<Backups['schedule']>

function Scheduled({ backups, schedule }: { backups: Backups; schedule: Schedule }) {
  const { folder, time, daily, weekly } = schedule
  const { running, files } = backups
  return (
    <>
      <p className={classes.text}>
        Every day at {time} (server time) to <code>{folder}</code>
      </p>
      <p className={`${classes.text} dim`}>
        Kept: the newest of {daily} {daily === 1 ? 'day' : 'days'} and of {weekly}{' '}
        {weekly === 1 ? 'week' : 'weeks'}.
      </p>
      {running && <p className={classes.text}>A backup is being written and verified.</p>}
      <LastResult backups={backups} />
      {files.length === 0 ? (
        <EmptyState message="No backups in this folder yet." />
      ) : (
        <ul className={classes.files} aria-label="Files">
          {files.map(({ name, at, bytes }) => (
            <li key={name}>
              <span className={classes.name}>{name}</span>
              <Time instant={at} />
              <span className={classes.size}>{formatFileSize(bytes)}</span>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

function LastResult({ backups: { last, last_success: success } }: { backups: Backups }) {
  if (last === null) return null
  if (last.ok)
    return (
      <p className={classes.text}>
        Last backup: written and verified <Time instant={last.finished_at} relative />
      </p>
    )
  return (
    <Alert color="negative" title="The last backup failed" className={classes.result ?? ''}>
      {last.message}
      <br />
      Failed <Time instant={last.finished_at} relative />
      {success !== null && (
        <>
          , last success <Time instant={success} relative />
        </>
      )}
    </Alert>
  )
}
