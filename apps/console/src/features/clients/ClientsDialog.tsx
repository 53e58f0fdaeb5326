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

/** Around every dialog that is about one of the clients: draws it once they are there. */
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

/** The address names something that is not there, or no longer. */
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
      <EmptyState message={`This ${what} does not exist any more, or you may not see it.`}>
        <Button variant="default" onClick={onClose} data-autofocus>
          Close
        </Button>
      </EmptyState>
    </Dialog>
  )
}
