import { blockInheritance } from '@muster/contract/api/policies'
import { listClients } from '@muster/contract/api/clients'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { FormError } from '../../app/dialogs/FormDialog.tsx'
import { GuardedDialog, StateDialog } from '../../app/dialogs/GuardedDialog.tsx'
import { call } from '../../app/api/api.ts'
import { queryKey } from '../../app/api/query-key.ts'
import type { AddressedDialogProps } from '../../app/dialogs/use-dialog.ts'
import { notifyDone } from '../../app/shell/notify.ts'
import { clientsQuery } from '../../app/api/queries.ts'
import { ConfirmDialog } from '../../ui/dialog/ConfirmDialog.tsx'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { EmptyState } from '../../ui/layout/States.tsx'

const TITLE = 'Policy inheritance'

/** Blocks or allows inherited policies for a client or a site: `client-3`, `site-2`. */
export function InheritanceDialog({ item = '', close }: AddressedDialogProps) {
  return (
    <GuardedDialog title={TITLE} needs="can_manage_automation_policies" onClose={close}>
      <Inheritance item={item} close={close} />
    </GuardedDialog>
  )
}

function Inheritance({ item, close }: { item: string; close: () => void }) {
  const { data: clients, error, refetch } = useQuery(clientsQuery)
  if (clients === undefined) {
    return <StateDialog title={TITLE} onClose={close} error={error} onRetry={() => void refetch()} />
  }
  const [level, id] = item.split('-')
  const node =
    level === 'client'
      ? clients.find((client) => `${client.id}` === id)
      : clients.flatMap(({ sites }) => sites).find((site) => `${site.id}` === id)
  if (node === undefined) {
    return (
      <Dialog title={TITLE} onClose={close} size="sm">
        <EmptyState message="Not found. You may not have access." />
      </Dialog>
    )
  }
  return (
    <Ask
      target={{ level: level === 'client' ? 'client' : 'site', id: node.id }}
      name={node.name}
      isBlocked={node.block_policy_inheritance}
      close={close}
    />
  )
}

interface AskProps {
  target: { level: 'client' | 'site'; id: number }
  name: string
  isBlocked: boolean
  close: () => void
}

function Ask({ target, name, isBlocked, close }: AskProps) {
  const queryClient = useQueryClient()
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => call(blockInheritance, { body: { target, block_policy_inheritance: !isBlocked } }),
    meta: { errorsShown: true },
    onSuccess: () => {
      notifyDone(isBlocked ? `${name} inherits policies again.` : `${name} no longer inherits policies.`)
      void queryClient.invalidateQueries({ queryKey: queryKey(listClients) })
      close()
    },
  })
  const above =
    target.level === 'client' ? 'assigned to all machines' : 'of its client, or assigned to all machines'
  return (
    <ConfirmDialog
      title={isBlocked ? `Allow inheritance for ${name}?` : `Block inheritance for ${name}?`}
      message={
        <>
          {error !== null && <FormError error={error} />}
          {isBlocked
            ? `Machines of ${name} also get checks and settings of policies ${above}.`
            : `Machines of ${name} lose checks, settings and history of policies ${above}.`}
        </>
      }
      confirmLabel={isBlocked ? 'Allow inheritance' : 'Block inheritance'}
      danger={!isBlocked}
      busy={isPending}
      onConfirm={() => mutate()}
      onClose={close}
    />
  )
}
