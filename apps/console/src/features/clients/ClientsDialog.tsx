import type { Client } from '@muster/contract/api/clients'
import type { Permission } from '@muster/contract/permissions'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { GuardedDialog, StateDialog } from '../../app/dialogs/GuardedDialog.tsx'
import { clientsQuery } from '../../app/api/queries.ts'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { EmptyState } from '../../ui/layout/States.tsx'

interface ClientsDialogProps {
  title: string
  needs: Permission
  onClose: () => void
  children: (clients: readonly Client[]) => ReactNode
}

/** A dialog about a client, drawn once the clients have loaded. */
export function ClientsDialog({ title, needs, onClose, children }: ClientsDialogProps) {
  const { data: clients, error, refetch } = useQuery(clientsQuery)
  return (
    <GuardedDialog title={title} needs={needs} onClose={onClose}>
      {clients === undefined ? (
        <StateDialog title={title} onClose={onClose} error={error} onRetry={() => void refetch()} />
      ) : (
        children(clients)
      )}
    </GuardedDialog>
  )
}

/** The item in the address does not exist. */
export function GoneDialog({
  title,
  what,
  onClose,
}: {
  title: string
  what: 'client' | 'site'
  onClose: () => void
}) {
  return (
    <Dialog title={title} onClose={onClose}>
      <EmptyState message={`No such ${what}. You may not have access to it.`}>
        <Button variant="default" onClick={onClose} data-autofocus>
          Close
        </Button>
      </EmptyState>
    </Dialog>
  )
}
