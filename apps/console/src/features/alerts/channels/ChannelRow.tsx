import type { AlertChannel } from '@muster/contract/api/alert-channels'
import {
  type Icon,
  IconAlertTriangleFilled,
  IconChecks,
  IconCircleDashed,
  IconCircleOff,
} from '@tabler/icons-react'
import { EditAndDelete, ListRow, RowDetail } from '../../../ui/table/ListRows.tsx'
import { Time } from '../../../ui/layout/Time.tsx'
import classes from './ChannelRow.module.css'
import { KIND_LABELS } from './channel-fields.ts'
import { type ChannelState, channelState, describeRules, describeWaiting } from './channel-words.ts'

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

/** A channel with its kind, how it does, and what goes there. */
export function ChannelRow({ channel, mayEdit, onEdit, onRemove }: ChannelRowProps) {
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
        <HealthIcon size={16} stroke={1.75} aria-hidden className={classes.icon} />
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
          {state === 'off' && 'switched off'}
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
