import { Text } from '@mantine/core'
import { type AlertChannel, deleteAlertChannel } from '@muster/contract/api/alert-channels'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { FormError } from '../../app/FormDialog.tsx'
import { call } from '../../app/api.ts'
import { notifyDone } from '../../app/notify.ts'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { channelsQuery } from './channels-query.ts'
import { describeWaiting } from './channel-words.ts'

/** Asks before a channel is deleted. */
export function RemoveChannel({ channel, onClose }: { channel: AlertChannel; onClose: () => void }) {
  const queryClient = useQueryClient()
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => call(deleteAlertChannel, { params: { id: channel.id } }),
    meta: { errorsShown: true },
    onSuccess: async () => {
      notifyDone('Channel deleted.')
      await queryClient.invalidateQueries({ queryKey: channelsQuery.queryKey })
      onClose()
    },
  })
  const waiting = describeWaiting(channel.health)
  return (
    <ConfirmDialog
      title="Delete this channel?"
      message={
        <>
          {error !== null && <FormError error={error} />}
          <Text>
            Nothing is told to <bdi>{channel.name}</bdi> any more.
            {waiting !== undefined && ` ${waiting} and will not be sent.`}
          </Text>
        </>
      }
      confirmLabel="Delete"
      danger
      busy={isPending}
      onConfirm={() => mutate()}
      onClose={onClose}
    />
  )
}
