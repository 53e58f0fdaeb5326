import type { Me } from '@muster/contract/api/users'
import { PERMISSIONS } from '@muster/contract/permissions'
import { type Caller, mayDo } from '../../platform/http/caller.ts'

export function viewMe(caller: Caller, { totp, totpMayWait }: { totp: boolean; totpMayWait: boolean }): Me {
  return {
    id: caller.userId,
    username: caller.username,
    name: caller.name,
    is_superuser: caller.isSuperuser,
    permissions: PERMISSIONS.filter((permission) => mayDo(caller, permission)),
    totp,
    totp_may_wait: totpMayWait,
  }
}
