import '@mantine/core/styles/FloatingIndicator.css'
import '@mantine/core/styles/SegmentedControl.css'
import { Button, SegmentedControl } from '@mantine/core'
import {
  discardWebhookDeliveries,
  listWebhookDeliveries,
  resendWebhookDeliveries,
  type WebhookDelivery,
} from '@muster/contract/api/webhooks'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call, query } from '../../app/api/api.ts'
import { GuardedDialog } from '../../app/dialogs/GuardedDialog.tsx'
import { ListDialog } from '../../app/dialogs/ListDialog.tsx'
import { type AddressedDialogProps, useDialog } from '../../app/dialogs/use-dialog.ts'
import { notifyDone } from '../../app/shell/notify.ts'
import { Time } from '../../ui/layout/Time.tsx'
import { ListRow, RowDetail } from '../../ui/table/ListRows.tsx'
import { EVENT_LABELS, webhooksQuery } from './event-labels.ts'

const TITLE = 'Deliveries'

/** The newest deliveries of a webhook with the answers of its receiver; failed ones are sent again or deleted here. */
export function DeliveriesDialog({ item }: AddressedDialogProps) {
  const { open } = useDialog()
  const back = () => open('webhooks')
  return (
    <GuardedDialog title={TITLE} needs="can_edit_core_settings" onClose={back}>
      <Deliveries id={Number(item)} back={back} />
    </GuardedDialog>
  )
}

function Deliveries({ id, back }: { id: number; back: () => void }) {
  const [shown, setShown] = useState<'all' | 'failed'>('all')
  const deliveries = query(listWebhookDeliveries, {
    params: { id },
    query: shown === 'failed' ? { state: 'failed' } : {},
  })
  const rows = useQuery(deliveries)
  const { data: webhooks } = useQuery(webhooksQuery)
  const webhook = webhooks?.find((one) => one.id === id)
  const failed = webhook?.failed ?? 0
  const queryClient = useQueryClient()
  const change = useMutation({
    mutationFn: ({ kind, ids }: { kind: 'resend' | 'discard'; ids?: string[] }) =>
      call(kind === 'resend' ? resendWebhookDeliveries : discardWebhookDeliveries, {
        params: { id },
        body: ids === undefined ? {} : { deliveries: ids },
      }),
    onSuccess: async ({ changed }, { kind }) => {
      const what = changed === 1 ? '1 delivery' : `${changed} deliveries`
      notifyDone(kind === 'resend' ? `Sending ${what} again.` : `Deleted ${what}.`)
      await queryClient.invalidateQueries({ queryKey: deliveries.queryKey })
      await queryClient.invalidateQueries({ queryKey: webhooksQuery.queryKey })
    },
  })
  return (
    <ListDialog
      title={webhook === undefined ? TITLE : `Deliveries of ${webhook.name}`}
      size="lg"
      onClose={back}
      rows={rows}
      searchText={({ event, answer, id: delivery }) => `${EVENT_LABELS[event]}\n${answer}\n${delivery}`}
      empty={shown === 'failed' ? 'No failed deliveries.' : 'No deliveries yet. Events appear here.'}
      create={null}
      frame={(list) => (
        <>
          <SegmentedControl
            aria-label="Deliveries shown"
            data={[
              { value: 'all', label: 'All' },
              { value: 'failed', label: failed === 0 ? 'Failed' : `Failed (${failed})` },
            ]}
            value={shown}
            onChange={(value) => setShown(value === 'failed' ? 'failed' : 'all')}
            mb="md"
          />
          {list}
        </>
      )}
      others={
        failed > 0 && (
          <>
            <Button
              variant="default"
              disabled={change.isPending}
              onClick={() => change.mutate({ kind: 'discard' })}
            >
              Delete failed
            </Button>
            <Button disabled={change.isPending} onClick={() => change.mutate({ kind: 'resend' })}>
              Resend failed
            </Button>
          </>
        )
      }
    >
      {(delivery) => (
        <DeliveryRow
          key={delivery.id}
          delivery={delivery}
          onResend={() => change.mutate({ kind: 'resend', ids: [delivery.id] })}
        />
      )}
    </ListDialog>
  )
}

function DeliveryRow({ delivery, onResend }: { delivery: WebhookDelivery; onResend: () => void }) {
  const { id, event, state, attempts, created, due, answer } = delivery
  return (
    <ListRow
      name={EVENT_LABELS[event]}
      tall
      beside={<span className="dim small">{state}</span>}
      actions={
        state === 'failed' ? (
          <Button variant="default" aria-label={`Resend delivery ${id}`} onClick={onResend}>
            Resend
          </Button>
        ) : null
      }
    >
      <RowDetail>
        <Time instant={created} /> · {attempts === 1 ? '1 attempt' : `${attempts} attempts`}
        {due !== null && attempts > 0 && (
          <>
            {' · next '}
            <Time instant={due} />
          </>
        )}
      </RowDetail>
      {answer !== '' && (
        <RowDetail>
          <bdi>{answer}</bdi>
        </RowDetail>
      )}
      <RowDetail>
        <span className="mono">{id}</span>
      </RowDetail>
    </ListRow>
  )
}
