import { Button, Menu } from '@mantine/core'
import type { AlertChannel } from '@muster/contract/api/alert-channels'
import { IconChevronDown, IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { GuardedDialog } from '../../../app/dialogs/GuardedDialog.tsx'
import { ListDialog } from '../../../app/dialogs/ListDialog.tsx'
import type { AddressedDialogProps } from '../../../app/dialogs/dialogs.tsx'
import { useMay } from '../../../app/api/queries.ts'
import { ChannelRow } from './ChannelRow.tsx'
import { RemoveChannel } from './RemoveChannel.tsx'
import { KINDS, KIND_LABELS } from './channel-fields.ts'
import { channelsQuery } from './channels-query.ts'
import { useChannelAddress } from './use-channel-address.ts'

const TITLE = 'Alert channels'

/** Where alerts are told, and whether that works. */
export function ChannelsDialog({ close }: AddressedDialogProps) {
  return (
    <GuardedDialog title={TITLE} needs="can_view_core_settings" size="lg" onClose={close}>
      <Channels close={close} />
    </GuardedDialog>
  )
}

function Channels({ close }: { close: () => void }) {
  const mayEdit = useMay('can_edit_core_settings')
  const { openChannel } = useChannelAddress()
  const channels = useQuery({ ...channelsQuery, staleTime: 0 })
  const [removing, setRemoving] = useState<AlertChannel>()
  return (
    <>
      <ListDialog
        title={TITLE}
        size="lg"
        onClose={close}
        rows={channels}
        empty="Nobody is told of alerts yet. Add a channel, and try it out with a test message."
        create={mayEdit && <NewChannel />}
      >
        {(channel) => (
          <ChannelRow
            key={channel.id}
            channel={channel}
            mayEdit={mayEdit}
            onEdit={() => openChannel(channel.id)}
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
  const { openChannel } = useChannelAddress()
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
          <Menu.Item key={kind} onClick={() => openChannel(`new.${kind}`)}>
            {KIND_LABELS[kind]}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
