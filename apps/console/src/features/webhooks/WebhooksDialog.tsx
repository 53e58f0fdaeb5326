import { ActionIcon, Button, Text, Tooltip } from '@mantine/core'
import { deleteWebhook, renewWebhookSecret, testWebhook, type Webhook } from '@muster/contract/api/webhooks'
import { IconKey, IconSend } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../app/api/api.ts'
import { GuardedDialog } from '../../app/dialogs/GuardedDialog.tsx'
import { ListDialog, NewButton } from '../../app/dialogs/ListDialog.tsx'
import { RemoveDialog } from '../../app/dialogs/RemoveDialog.tsx'
import { type AddressedDialogProps, useDialog, useRecordAddress } from '../../app/dialogs/use-dialog.ts'
import { notify, notifyDone } from '../../app/shell/notify.ts'
import { ConfirmDialog } from '../../ui/dialog/ConfirmDialog.tsx'
import { Time } from '../../ui/layout/Time.tsx'
import { EditAndDelete, ListRow, RowDetail } from '../../ui/table/ListRows.tsx'
import { EVENT_LABELS, webhooksQuery } from './event-labels.ts'
import { ShownSecret } from './ShownSecret.tsx'

const TITLE = 'Webhooks'

/** Addresses of other programs that get events. */
export function WebhooksDialog({ close }: AddressedDialogProps) {
  return (
    <GuardedDialog title={TITLE} needs="can_edit_core_settings" onClose={close}>
      <Webhooks close={close} />
    </GuardedDialog>
  )
}

function Webhooks({ close }: { close: () => void }) {
  const { openRecord } = useRecordAddress('webhooks', 'webhook')
  const webhooks = useQuery(webhooksQuery)
  const [removing, setRemoving] = useState<Webhook>()
  const [renewing, setRenewing] = useState<Webhook>()
  return (
    <>
      <ListDialog
        title={TITLE}
        size="lg"
        onClose={close}
        rows={webhooks}
        searchText={({ name, url }) => `${name}\n${url}`}
        empty="No webhooks yet. They send events to a ticket system or a program of your own."
        create={<NewButton onClick={() => openRecord('new')}>New webhook</NewButton>}
      >
        {(webhook) => (
          <WebhookRow
            key={webhook.id}
            webhook={webhook}
            onRenew={() => setRenewing(webhook)}
            onRemove={() => setRemoving(webhook)}
          />
        )}
      </ListDialog>
      {renewing !== undefined && <RenewSecret webhook={renewing} onClose={() => setRenewing(undefined)} />}
      {removing !== undefined && (
        <RemoveDialog
          title="Delete this webhook?"
          message={
            <Text>
              <bdi>{removing.name}</bdi> gets no more events. Its deliveries are deleted.
            </Text>
          }
          remove={() => call(deleteWebhook, { params: { id: removing.id } })}
          done="Webhook deleted."
          stale={webhooksQuery.queryKey}
          onClose={() => setRemoving(undefined)}
        />
      )}
    </>
  )
}

interface WebhookRowProps {
  webhook: Webhook
  onRenew: () => void
  onRemove: () => void
}

function WebhookRow({ webhook, onRenew, onRemove }: WebhookRowProps) {
  const { id, name, url, events, client, client_name, enabled, waiting, failed, dropped } = webhook
  const { open } = useDialog()
  const { openRecord } = useRecordAddress('webhooks', 'webhook')
  const test = useMutation({
    mutationFn: () => call(testWebhook, { params: { id } }),
    onSuccess: ({ ok, answer }) => {
      if (ok) notifyDone(`Test delivered. The receiver answered ${answer}`)
      else notify(`Test failed: ${answer}`, { tone: 'negative' })
    },
  })
  const counts = [
    ...(waiting === 0 ? [] : [`${waiting} waiting`]),
    ...(failed === 0 ? [] : [`${failed} failed`]),
    ...(dropped === 0 ? [] : [`${dropped} dropped`]),
  ]
  return (
    <ListRow
      name={name}
      tall
      beside={!enabled && <span className="dim small">disabled</span>}
      actions={
        <>
          <Tooltip label="Send test">
            <ActionIcon
              aria-label={`Send test to ${name}`}
              loading={test.isPending}
              onClick={() => test.mutate()}
            >
              <IconSend size={16} stroke={1.75} aria-hidden />
            </ActionIcon>
          </Tooltip>
          <Tooltip label="Replace secret">
            <ActionIcon aria-label={`Replace secret of ${name}`} onClick={onRenew}>
              <IconKey size={16} stroke={1.75} aria-hidden />
            </ActionIcon>
          </Tooltip>
          <Button
            variant="default"
            aria-label={`Deliveries of ${name}`}
            onClick={() => open('webhook-deliveries', id)}
          >
            Deliveries
          </Button>
          <EditAndDelete name={name} onEdit={() => openRecord(id)} onDelete={onRemove} />
        </>
      }
    >
      <RowDetail>
        <span className="mono">{url}</span>
      </RowDetail>
      <RowDetail>
        {events.map((event) => EVENT_LABELS[event]).join(', ')}
        {client !== null && (
          <>
            {' · only '}
            <bdi>{client_name}</bdi>
          </>
        )}
      </RowDetail>
      <RowDetail>
        <Health webhook={webhook} />
        {counts.length > 0 && ` · ${counts.join(' · ')}`}
      </RowDetail>
    </ListRow>
  )
}

function Health({ webhook: { failing_since, last_delivered } }: { webhook: Webhook }) {
  if (failing_since !== null)
    return (
      <>
        Failing since <Time instant={failing_since} />
      </>
    )
  if (last_delivered === null) return 'Nothing delivered yet'
  return (
    <>
      Last delivered <Time instant={last_delivered} relative />
    </>
  )
}

function RenewSecret({ webhook: { id, name }, onClose }: { webhook: Webhook; onClose: () => void }) {
  const renew = useMutation({ mutationFn: () => call(renewWebhookSecret, { params: { id } }) })
  if (renew.data !== undefined)
    return <ShownSecret name={name} secret={renew.data.secret} onClose={onClose} />
  return (
    <ConfirmDialog
      title="Replace the secret?"
      message={
        <Text>
          <bdi>{name}</bdi> signs with the new secret at once. Update the receiver.
        </Text>
      }
      confirmLabel="Replace secret"
      busy={renew.isPending}
      onConfirm={() => renew.mutate()}
      onClose={onClose}
    />
  )
}
