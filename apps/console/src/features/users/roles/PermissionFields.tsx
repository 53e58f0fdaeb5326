import { Checkbox } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import {
  PERMISSION_GROUPS,
  PERMISSION_TEXTS,
  type PermissionGroup,
  permissionLabel,
} from '@muster/contract/permission-texts'
import { type Permission, PERMISSIONS } from '@muster/contract/permissions'
import { useState } from 'react'
import { SearchField } from '../../../ui/inputs/SearchField.tsx'
import classes from './Roles.module.css'
import { type RoleForm, switchPermissions } from './role-form.ts'

/** The permissions of a role, in groups that can be switched as a whole. Superusers have all. */
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
      {groups.length === 0 && <p className={classes.note}>No permissions match the search.</p>}
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
                  description={PERMISSION_TEXTS[permission][1]}
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

/** The groups with the permissions whose name, texts or group contain all words. */
export function findPermissions(search: string): readonly PermissionGroup[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return PERMISSION_GROUPS
  return PERMISSION_GROUPS.flatMap(({ label, permissions }) => {
    const found = permissions.filter((permission) => {
      const text = [label, permission, ...PERMISSION_TEXTS[permission]].join('\n').toLowerCase()
      return words.every((word) => text.includes(word))
    })
    return found.length === 0 ? [] : [{ label, permissions: found }]
  })
}
