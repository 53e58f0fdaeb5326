import { Button } from '@mantine/core'
import { editCoreSettings } from '@muster/contract/api/settings'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../../app/api/api.ts'
import { notifyDone } from '../../app/shell/notify.ts'
import { dashInfoQuery } from '../../app/api/queries.ts'
import { useOverdue } from './Overdue.tsx'

/** Asked once after an update from a version without default alerts of servers; one answer counts for all superusers. */
export function AvailabilityQuestion() {
  const { unalerted } = useOverdue()
  const queryClient = useQueryClient()
  const { mutate, isPending } = useMutation({
    mutationFn: (turnOn: boolean) =>
      call(editCoreSettings, {
        body: turnOn ? { availability_alerts_servers: true } : { availability_alerts_asked: true },
      }),
    onSuccess: async (_saved, turnOn) => {
      notifyDone(
        turnOn
          ? 'Availability alerts for servers are on.'
          : 'Alerts stay off. Turn them on in the settings, under Monitoring.',
      )
      await queryClient.invalidateQueries({ queryKey: dashInfoQuery.queryKey })
    },
  })
  return (
    <>
      <span>
        {unalerted > 0 &&
          `${unalerted} ${unalerted === 1 ? 'machine is' : 'machines are'} overdue without alerting. `}
        Turn on availability alerts for servers?
      </span>
      <Button size="compact-xs" loading={isPending} onClick={() => mutate(true)}>
        Turn on
      </Button>
      <Button size="compact-xs" variant="default" disabled={isPending} onClick={() => mutate(false)}>
        Not now
      </Button>
    </>
  )
}
