import { Text } from '@mantine/core'
import { type AlertChannel, deleteAlertChannel } from '@muster/contract/api/alert-channels'
import { RemoveDialog } from '../../../app/dialogs/RemoveDialog.tsx'
import { call } from '../../../app/api/api.ts'
import { describeWaiting } from './channel-words.ts'
import { channelsQuery } from './channels-query.ts'

/** Asks before a channel is deleted. */
export function RemoveChannel({ channel, onClose }: { channel: AlertChannel; onClose: () => void }) {
  const waiting = describeWaiting(channel.health)
  return (
    <RemoveDialog
      title="Delete this channel?"
      message={
        <Text>
          Nothing is told to <bdi>{channel.name}</bdi> any more.
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
