import { ActionIcon, Button, Group, Text, Tooltip } from '@mantine/core'
import { deleteDeployment, listDeployments, type ListedDeployment } from '@muster/contract/api/deployments'
import { platformName } from '@muster/rules/agents/available-actions'
import { IconTrash } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call, query } from '../../../app/api/api.ts'
import { useMay } from '../../../app/api/queries.ts'
import { GuardedDialog } from '../../../app/dialogs/GuardedDialog.tsx'
import { ListDialog, NewButton } from '../../../app/dialogs/ListDialog.tsx'
import { RemoveDialog } from '../../../app/dialogs/RemoveDialog.tsx'
import { type AddressedDialogProps, useDialog } from '../../../app/dialogs/use-dialog.ts'
import { notifyDone } from '../../../app/shell/notify.ts'
import { copyText } from '../../../ui/inputs/CopyText.tsx'
import { Time } from '../../../ui/layout/Time.tsx'
import { useNow } from '../../../ui/layout/use-now.ts'
import { ListRow, RowDetail } from '../../../ui/table/ListRows.tsx'

const TITLE = 'Deployments'
const MINUTE_MS = 60_000

export const deploymentsQuery = query(listDeployments, { query: {} })

/** Addresses that install agents until they expire. */
export function DeploymentsDialog({ close }: AddressedDialogProps) {
  return (
    <GuardedDialog title={TITLE} needs="can_list_deployments" size="lg" onClose={close}>
      <Deployments close={close} />
    </GuardedDialog>
  )
}

function Deployments({ close }: { close: () => void }) {
  const mayManage = useMay('can_manage_deployments')
  const { open } = useDialog()
  const deployments = useQuery(deploymentsQuery)
  const [removing, setRemoving] = useState<ListedDeployment>()
  return (
    <>
      <ListDialog
        title={TITLE}
        size="lg"
        onClose={close}
        rows={deployments}
        empty="No deployments yet. A deployment is a link that installs agents at one site until it expires."
        create={mayManage && <NewButton onClick={() => open('deployment')}>New deployment</NewButton>}
        note={
          <Text size="xs" c="dimmed" mb="xs">
            {mayManage
              ? 'Anyone who has a link can add machines. Keep it secret.'
              : 'Links are shown to users who may manage deployments.'}
          </Text>
        }
        searchText={({ client_name, site_name }) => `${client_name}\n${site_name}`}
      >
        {(deployment) => (
          <DeploymentRow
            key={deployment.id}
            deployment={deployment}
            onRemove={mayManage ? () => setRemoving(deployment) : undefined}
          />
        )}
      </ListDialog>
      {removing !== undefined && (
        <RemoveDialog
          title="Delete this deployment?"
          message={
            <Text>
              Its link for <bdi>{nameOf(removing)}</bdi> stops working. Enrolled machines stay.
            </Text>
          }
          remove={() => call(deleteDeployment, { params: { id: removing.id } })}
          done="Deployment deleted."
          stale={deploymentsQuery.queryKey}
          onClose={() => setRemoving(undefined)}
        />
      )}
    </>
  )
}

interface DeploymentRowProps {
  deployment: ListedDeployment
  onRemove: (() => void) | undefined
}

function DeploymentRow({ deployment, onRemove }: DeploymentRowProps) {
  const { plat, mon_type, expiry, created, created_by, uses_left, install_flags, url, cmd } = deployment
  const name = nameOf(deployment)
  const isExpired = useNow(MINUTE_MS) >= Date.parse(expiry)
  const flags = FLAGS.filter(({ flag }) => install_flags[flag]).map(({ label }) => label)
  return (
    <div onDoubleClick={({ currentTarget }) => url !== null && void copy('Link', url, currentTarget)}>
      <ListRow
        name={name}
        actions={
          onRemove === undefined ? null : (
            <Tooltip label="Delete">
              <ActionIcon aria-label={`Delete deployment of ${name}`} onClick={onRemove}>
                <IconTrash size={16} stroke={1.75} aria-hidden />
              </ActionIcon>
            </Tooltip>
          )
        }
      >
        <RowDetail>
          {platformName(plat)} · {mon_type === 'server' ? 'Server' : 'Workstation'}
          {flags.length > 0 && ` · ${flags.join(', ')}`}
        </RowDetail>
        <RowDetail>
          {isExpired ? 'Expired ' : 'Expires '}
          <Time instant={expiry} /> · {uses_left} {uses_left === 1 ? 'machine' : 'machines'} left
        </RowDetail>
        <RowDetail>
          Created by {created_by} <Time instant={created} relative />
        </RowDetail>
        {cmd !== null && url !== null && (
          <Group gap={8} mt={6}>
            <CopyButton what="Command" label={`Copy command of ${name}`} text={cmd} />
            <CopyButton what="Link" label={`Copy link of ${name}`} text={url} />
          </Group>
        )}
      </ListRow>
    </div>
  )
}

function CopyButton({ what, label, text }: { what: 'Command' | 'Link'; label: string; text: string }) {
  return (
    <Button
      variant="default"
      size="compact-xs"
      aria-label={label}
      onClick={({ currentTarget }) => void copy(what, text, currentTarget)}
      // A quick second click is not the double click of the row.
      onDoubleClick={(event) => event.stopPropagation()}
    >
      Copy {what.toLowerCase()}
    </Button>
  )
}

async function copy(what: 'Command' | 'Link', text: string, near: HTMLElement): Promise<void> {
  if (await copyText(text, near)) notifyDone(`${what} copied.`)
}

const FLAGS = [
  { flag: 'rdp', label: 'Remote Desktop' },
  { flag: 'ping', label: 'answers pings' },
  { flag: 'power', label: 'never sleeps' },
] as const

function nameOf({ client_name, site_name }: ListedDeployment): string {
  return `${client_name} › ${site_name}`
}
