import { Button, Stack } from '@mantine/core'
import type { User } from '@muster/contract/api/accounts'
import { deleteSsoAccount, listSsoAccounts, type SsoAccount } from '@muster/contract/api/sso'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call, query } from '../../app/api/api.ts'
import { LoadingState } from '../../app/dialogs/GuardedDialog.tsx'
import { notifyDone } from '../../app/shell/notify.ts'
import { ConfirmDialog } from '../../ui/dialog/ConfirmDialog.tsx'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { EmptyState } from '../../ui/layout/States.tsx'
import { Time } from '../../ui/layout/Time.tsx'
import { ListRow, ListRows, RowDetail } from '../../ui/table/ListRows.tsx'

/** The accounts at providers with which a user signs in. */
export function AccountsDialog({ user, onClose }: { user: User; onClose: () => void }) {
  const accounts = query(listSsoAccounts, { params: { id: user.id } })
  const { data, error, refetch } = useQuery(accounts)
  const [leaving, setLeaving] = useState<SsoAccount>()
  return (
    <>
      <Dialog
        title={`Connected accounts of ${user.username}`}
        size="lg"
        onClose={onClose}
        footer={
          <Button variant="default" onClick={onClose} data-autofocus>
            Close
          </Button>
        }
      >
        {data === undefined ? (
          <LoadingState error={error} onRetry={() => void refetch()} rows={2} />
        ) : data.length === 0 ? (
          <EmptyState message="No connected accounts. The user signs in with a password." />
        ) : (
          <ListRows label="Connected accounts">
            {data.map((account) => (
              <AccountRow key={account.id} account={account} onLeave={() => setLeaving(account)} />
            ))}
          </ListRows>
        )}
      </Dialog>
      {leaving !== undefined && (
        <Disconnect
          user={user}
          account={leaving}
          isLast={data?.length === 1}
          onClose={() => setLeaving(undefined)}
        />
      )}
    </>
  )
}

function AccountRow({ account, onLeave }: { account: SsoAccount; onLeave: () => void }) {
  const { display, provider, subject, joined, last_login } = account
  return (
    <ListRow
      name={display}
      tall
      beside={<span className="dim small">{provider}</span>}
      actions={
        <Button variant="default" aria-label={`Disconnect ${display}`} onClick={onLeave}>
          Disconnect
        </Button>
      }
    >
      <RowDetail>
        Subject <span className="mono">{subject}</span>
      </RowDetail>
      <RowDetail>
        Signed in <Time instant={last_login} relative /> · connected <Time instant={joined} />
      </RowDetail>
    </ListRow>
  )
}

interface DisconnectProps {
  user: User
  account: SsoAccount
  isLast: boolean
  onClose: () => void
}

function Disconnect({ user, account, isLast, onClose }: DisconnectProps) {
  const queryClient = useQueryClient()
  const disconnect = useMutation({
    mutationFn: () => call(deleteSsoAccount, { params: { id: user.id, account_id: account.id } }),
    onSuccess: async () => {
      notifyDone('Account disconnected.')
      onClose()
      await queryClient.invalidateQueries()
    },
  })
  return (
    <ConfirmDialog
      title={`Disconnect ${account.display}?`}
      message={
        <Stack gap="xs">
          <div>Sessions that were opened with {account.provider} end.</div>
          {isLast && <div>Reset the password afterwards, or {user.username} cannot sign in.</div>}
        </Stack>
      }
      confirmLabel="Disconnect"
      danger
      busy={disconnect.isPending}
      onConfirm={() => disconnect.mutate()}
      onClose={onClose}
    />
  )
}
