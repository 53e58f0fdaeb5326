import { Button } from '@mantine/core'
import type { FileAccess, FileEntry, FileRight } from '@muster/contract/agent/files'
import type { AgentDetail } from '@muster/contract/api/agents'
import { readFileAccess } from '@muster/contract/api/files'
import { joinRaw, showRaw } from '@muster/rules/agents/raw-path'
import { useQuery } from '@tanstack/react-query'
import { query } from '../../../app/api/api.ts'
import { LoadingState } from '../../../app/dialogs/GuardedDialog.tsx'
import { Dialog } from '../../../ui/dialog/Dialog.tsx'
import classes from './FilesPane.module.css'

const RIGHT_LABELS: Record<FileRight, string> = {
  full: 'Full control',
  modify: 'Modify',
  'read-execute': 'Read and execute',
  read: 'Read',
  write: 'Write',
  special: 'Special permissions',
}

const SCOPE_LABELS: Record<NonNullable<FileAccess['entries']>[number]['applies'], string> = {
  this: 'Only this',
  all: 'This and everything in it',
  below: 'Everything in it',
}

interface AccessDialogProps {
  agent: Pick<AgentDetail, 'agent_id'>
  folder: string
  entry: FileEntry
  onClose: () => void
}

/** Owner and access list of a file or folder of Windows. */
export function AccessDialog({ agent, folder, entry, onClose }: AccessDialogProps) {
  const path = joinRaw(folder, entry.raw)
  const { data, error, refetch } = useQuery({
    ...query(readFileAccess, { params: { agent_id: agent.agent_id }, query: { path } }),
    retry: false,
    gcTime: 0,
  })
  return (
    <Dialog
      title={`Permissions of ${showRaw(path)}`}
      onClose={onClose}
      size="lg"
      footer={
        <Button onClick={onClose} data-autofocus>
          Close
        </Button>
      }
    >
      {data === undefined ? (
        <LoadingState error={error} onRetry={() => void refetch()} rows={4} />
      ) : (
        <AccessList access={data} />
      )}
    </Dialog>
  )
}

function AccessList({ access: { owner, inherits, entries } }: { access: FileAccess }) {
  return (
    <>
      <p>Owner: {owner}</p>
      <p>{inherits ? 'Inherits permissions from its folder.' : 'Does not inherit permissions.'}</p>
      {entries === null ? (
        <p>No access list: everyone has full control.</p>
      ) : entries.length === 0 ? (
        <p>The access list is empty: nobody has access.</p>
      ) : (
        <table className={classes.access}>
          <thead>
            <tr>
              <th scope="col">User or group</th>
              <th scope="col">Type</th>
              <th scope="col">Access</th>
              <th scope="col">Applies to</th>
              <th scope="col">Inherited</th>
            </tr>
          </thead>
          <tbody>
            {entries.map(({ name, allowed, rights, applies, inherited }, at) => (
              // Entries have an order and no name of their own.
              <tr key={at}>
                <td>{name}</td>
                <td>{allowed ? 'Allow' : 'Deny'}</td>
                <td>{rights.map((right) => RIGHT_LABELS[right]).join(', ')}</td>
                <td>{SCOPE_LABELS[applies]}</td>
                <td>{inherited ? 'Yes' : 'No'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  )
}
