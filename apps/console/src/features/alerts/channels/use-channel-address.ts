import type { ChannelKind } from '@muster/contract/api/alert-channels'
import { useNavigate } from '@tanstack/react-router'
import { useCallback } from 'react'

/** Navigation between the list of channels and the form of one. */
export function useChannelAddress() {
  const navigate = useNavigate()
  const openChannel = useCallback(
    (item: number | `new.${ChannelKind}`) =>
      void navigate({ to: '.', search: (old) => ({ ...old, dialog: 'alert-channel', item: `${item}` }) }),
    [navigate],
  )
  const openList = useCallback(
    () =>
      void navigate({
        to: '.',
        search: (old) => ({ ...old, dialog: 'alert-channels', item: undefined }),
        replace: true,
      }),
    [navigate],
  )
  return { openChannel, openList }
}
