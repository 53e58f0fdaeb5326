import { Checkbox } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { type Permission, PERMISSIONS } from '@muster/contract/permissions'
import { useState } from 'react'
import { SearchField } from '../../../ui/inputs/SearchField.tsx'
import classes from './Roles.module.css'
import { findPermissions, permissionLabel } from './permission-groups.ts'
import { type RoleForm, switchPermissions } from './role-form.ts'

/** What a role allows, in groups that can be switched as a whole. A superuser may do all of it. */
export function PermissionFields({ form }: { form: UseFormReturnType<RoleForm> }) {
  const [search, setSearch] = useState('')
  const { is_superuser: isAll, permissions } = form.values
  const groups = findPermissions(search)
  const has = (permission: Permission) => isAll || permissions.includes(permission)
  const change = (changed: readonly Permission[], on: boolean) =>
    form.setFieldValue('permissions', switchPermissions(permissions, changed, on ? 'on' : 'off'))
  return (
    <section aria-label="Permissions">
      <div className={classes.head}>
        <h3 className={classes.title}>Permissions</h3>
        <SearchField
          label="Search permissions"
          placeholder="Terminal, scripts, alerts"
          value={search}
          onSearch={setSearch}
          className={classes.search}
          size="xs"
        />
        <span className={classes.count} role="status">
          {isAll ? 'all, as a superuser' : `${permissions.length} of ${PERMISSIONS.length}`}
        </span>
      </div>
      {groups.length === 0 && <p className={classes.note}>No permission has all of these words.</p>}
      <div className={classes.groups}>
        {groups.map(({ label, permissions: ofGroup }) => {
          const count = ofGroup.filter(has).length
          return (
            <div key={label} role="group" aria-label={label} className={classes.group}>
              <Checkbox
                label={<strong>{label}</strong>}
                aria-label={`All of ${label}`}
                checked={count === ofGroup.length}
                indeterminate={count > 0 && count < ofGroup.length}
                disabled={isAll}
                onChange={({ currentTarget }) => change(ofGroup, currentTarget.checked)}
              />
              {ofGroup.map((permission) => (
                <Checkbox
                  key={permission}
                  size="xs"
                  className={classes.permission ?? ''}
                  label={permissionLabel(permission)}
                  title={permission}
                  checked={has(permission)}
                  disabled={isAll}
                  onChange={({ currentTarget }) => change([permission], currentTarget.checked)}
                />
              ))}
            </div>
          )
        })}
      </div>
    </section>
  )
}
