import { Button } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { LoadingState } from '../../../app/dialogs/GuardedDialog.tsx'
import { useDialog } from '../../../app/dialogs/use-dialog.ts'
import { useMay } from '../../../app/api/queries.ts'
import { ListPage, useFind } from '../../../app/shell/ListPage.tsx'
import { ListRows } from '../../../ui/table/ListRows.tsx'
import { SearchField } from '../../../ui/inputs/SearchField.tsx'
import list from '../../../ui/layout/ListPane.module.css'
import { EmptyState } from '../../../ui/layout/States.tsx'
import { type Asked, UserActionDialog } from './UserActionDialog.tsx'
import { UserRow } from './UserRow.tsx'
import { findUsers, usersQuery } from './user-form.ts'
import classes from './Users.module.css'

const REFUSED = 'Your role does not allow you to see users.'

/** The users and their roles. The address holds the search. */
export function UsersPage() {
  const mayEdit = useMay('can_manage_accounts')
  const { open } = useDialog()
  return (
    <ListPage
      title="Users"
      needs="can_list_accounts"
      refused={REFUSED}
      actions={
        <>
          <Button variant="default" onClick={() => open('roles')}>
            Roles
          </Button>
          {mayEdit && (
            <Button
              leftSection={<IconPlus size={16} stroke={1.75} aria-hidden />}
              onClick={() => open('user', 'new')}
            >
              New user
            </Button>
          )}
        </>
      }
    >
      <Users mayEdit={mayEdit} />
    </ListPage>
  )
}

function Users({ mayEdit }: { mayEdit: boolean }) {
  const [find, setFind] = useFind()
  const { data, error, refetch } = useQuery(usersQuery)
  const [asked, setAsked] = useState<Asked>()
  const found = findUsers(data ?? [], find)
  return (
    <>
      <div className={list.tools}>
        <SearchField
          label="Search users"
          placeholder="Name, e-mail, role, blocked"
          value={find}
          onSearch={setFind}
          className={list.search}
          autoFocus
        />
        <span className={list.sums} role="status">
          {data !== undefined && (found.length === 1 ? '1 user' : `${found.length} users`)}
        </span>
      </div>
      <div className={classes.rows}>
        {data === undefined ? (
          <LoadingState error={error} onRetry={() => void refetch()} rows={3} />
        ) : found.length === 0 ? (
          <EmptyState message="No users match the search.">
            <Button variant="default" onClick={() => setFind('')}>
              Clear search
            </Button>
          </EmptyState>
        ) : (
          <ListRows label="Users">
            {found.map((user) => (
              <UserRow
                key={user.id}
                user={user}
                mayEdit={mayEdit}
                onAsk={(what) => setAsked({ user, what })}
              />
            ))}
          </ListRows>
        )}
      </div>
      {asked !== undefined && <UserActionDialog {...asked} onClose={() => setAsked(undefined)} />}
    </>
  )
}
