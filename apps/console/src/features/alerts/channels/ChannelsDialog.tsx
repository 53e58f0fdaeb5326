import { Button, Menu, Text } from '@mantine/core'
import { type AlertChannel, deleteAlertChannel } from '@muster/contract/api/alert-channels'
import {
  type Icon,
  IconAlertTriangleFilled,
  IconChecks,
  IconChevronDown,
  IconCircleDashed,
  IconCircleOff,
  IconPlus,
} from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { AlertType } from '@muster/contract/api/alerts'
import { formatDuration } from '@muster/rules/text/units'
import { GuardedDialog } from '../../../app/dialogs/GuardedDialog.tsx'
import { ListDialog } from '../../../app/dialogs/ListDialog.tsx'
import { type AddressedDialogProps, useRecordAddress } from '../../../app/dialogs/use-dialog.ts'
import { useMay } from '../../../app/api/queries.ts'
import { RemoveDialog } from '../../../app/dialogs/RemoveDialog.tsx'
import { call } from '../../../app/api/api.ts'
import { EditAndDelete, ListRow, RowDetail } from '../../../ui/table/ListRows.tsx'
import { Time } from '../../../ui/layout/Time.tsx'
import { SEVERITIES, SEVERITY_LABELS, TYPE_LABELS } from '../alert-labels.ts'
import { KIND_LABELS, KINDS } from './channel-fields.ts'
import { channelsQuery } from './channel-form.ts'
import classes from './ChannelRow.module.css'

const TITLE = 'Alert channels'

/** The alert channels and their state. */
export function ChannelsDialog({ close }: AddressedDialogProps) {
  return (
    <GuardedDialog title={TITLE} needs="can_view_core_settings" size="lg" onClose={close}>
      <Channels close={close} />
    </GuardedDialog>
  )
}

function Channels({ close }: { close: () => void }) {
  const mayEdit = useMay('can_edit_core_settings')
  const { openRecord } = useRecordAddress('alert-channels', 'alert-channel')
  const channels = useQuery({ ...channelsQuery, staleTime: 0 })
  const [removing, setRemoving] = useState<AlertChannel>()
  return (
    <>
      <ListDialog
        title={TITLE}
        size="lg"
        onClose={close}
        rows={channels}
        empty="No notifications yet. Add a channel and send a test message."
        create={mayEdit && <NewChannel />}
        searchText={({ name, settings }) => `${name}\n${settings.kind}`}
      >
        {(channel) => (
          <ChannelRow
            key={channel.id}
            channel={channel}
            mayEdit={mayEdit}
            onEdit={() => openRecord(channel.id)}
            onRemove={() => setRemoving(channel)}
          />
        )}
      </ListDialog>
      {removing !== undefined && <RemoveChannel channel={removing} onClose={() => setRemoving(undefined)} />}
    </>
  )
}

/** A button that offers the kinds. */
function NewChannel() {
  const { openRecord } = useRecordAddress('alert-channels', 'alert-channel')
  return (
    <Menu position="top-end" zIndex={250}>
      <Menu.Target>
        <Button
          leftSection={<IconPlus size={14} stroke={1.75} aria-hidden />}
          rightSection={<IconChevronDown size={14} stroke={1.75} aria-hidden />}
        >
          New channel
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {KINDS.map((kind) => (
          <Menu.Item key={kind} onClick={() => openRecord(`new.${kind}`)}>
            {KIND_LABELS[kind]}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

/** Asks before a channel is deleted. */
function RemoveChannel({ channel, onClose }: { channel: AlertChannel; onClose: () => void }) {
  const waiting = describeWaiting(channel.health)
  return (
    <RemoveDialog
      title="Delete this channel?"
      message={
        <Text>
          <bdi>{channel.name}</bdi> gets no more notifications.
          {waiting !== undefined && ` ${waiting} and will not be sent.`}
        </Text>
      }
      remove={() => call(deleteAlertChannel, { params: { id: channel.id } })}
      done="Channel deleted."
      stale={channelsQuery.queryKey}
      onClose={onClose}
    />
  )
}

const LOOK: Record<ChannelState, { icon: Icon; tone: 'positive' | 'negative' | 'dim' }> = {
  working: { icon: IconChecks, tone: 'positive' },
  failing: { icon: IconAlertTriangleFilled, tone: 'negative' },
  unused: { icon: IconCircleDashed, tone: 'dim' },
  off: { icon: IconCircleOff, tone: 'dim' },
}

interface ChannelRowProps {
  channel: AlertChannel
  mayEdit: boolean
  onEdit: () => void
  onRemove: () => void
}

/** A channel with its kind, its state and its rules. */
function ChannelRow({ channel, mayEdit, onEdit, onRemove }: ChannelRowProps) {
  const { name, settings, health } = channel
  const waiting = describeWaiting(health)
  return (
    <ListRow
      name={name}
      beside={<RowDetail>{KIND_LABELS[settings.kind]}</RowDetail>}
      tall
      actions={mayEdit ? <EditAndDelete name={name} onEdit={onEdit} onDelete={onRemove} /> : null}
    >
      <Health channel={channel} />
      <RowDetail>{[describeRules(channel), waiting].filter(Boolean).join(' · ')}</RowDetail>
    </ListRow>
  )
}

function Health({ channel }: { channel: AlertChannel }) {
  const state = channelState(channel)
  const { icon: HealthIcon, tone } = LOOK[state]
  const { last_sent, failing_since, last_error } = channel.health
  return (
    <>
      <div className={classes.health} data-tone={tone}>
        <HealthIcon size={16} stroke={1.75} aria-hidden className="tone-icon" />
        <span>
          {state === 'working' && (
            <>
              working, last sent <Time instant={last_sent} relative />
            </>
          )}
          {state === 'failing' && (
            <>
              failing since <Time instant={failing_since} />
            </>
          )}
          {state === 'unused' && 'never used'}
          {state === 'off' && 'off'}
        </span>
      </div>
      {state === 'failing' && last_error !== '' && (
        <p className={`${classes.error} mono`} dir="auto">
          {last_error}
        </p>
      )}
    </>
  )
}

type ChannelState = 'working' | 'failing' | 'unused' | 'off'

/** Whether it works, as far as known. */
function channelState({ rules, health }: Pick<AlertChannel, 'rules' | 'health'>): ChannelState {
  if (!rules.enabled) return 'off'
  if (health.failing_since !== null) return 'failing'
  return health.last_sent === null ? 'unused' : 'working'
}

const describeWaiting = ({ waiting }: AlertChannel['health']): string | undefined =>
  waiting === 0 ? undefined : `${waiting} ${waiting === 1 ? 'message waits' : 'messages wait'}`

/** Its rules in a line: `Error and warning; only checks; 2 clients; quiet 22:00 to 06:00`. */
function describeRules({ rules }: Pick<AlertChannel, 'rules'>): string {
  const severities = SEVERITIES.filter((severity) => rules.severities.includes(severity))
  const types = AlertType.options.filter((type) => rules.alert_types.includes(type))
  return [
    join(severities.map((severity) => SEVERITY_LABELS[severity])),
    ...(types.length === AlertType.options.length
      ? []
      : [`only ${join(types.map((type) => TYPE_LABELS[type])).toLowerCase()}`]),
    ...(rules.clients.length === 0
      ? []
      : [`${rules.clients.length} ${rules.clients.length === 1 ? 'client' : 'clients'}`]),
    ...(rules.on_resolved ? [] : ['not when resolved']),
    ...(rules.repeat_minutes === 0 ? [] : [`reminder every ${formatDuration(rules.repeat_minutes * 60)}`]),
    ...(rules.quiet_from === '' ? [] : [`quiet ${rules.quiet_from} to ${rules.quiet_to}`]),
  ].join('; ')
}

function join(words: readonly string[]): string {
  if (words.length < 2) return words.join('')
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1)?.toLowerCase()}`
}
