import { getFirstSteps } from '@muster/contract/api/first-steps'
import type { Permission } from '@muster/contract/permissions'
import type { Context } from '../../context.ts'
import { mayDo } from '../../platform/http/caller.ts'
import { type Api, route } from '../../platform/http/route.ts'
import { countUsersToSignIn, hasAssignedPolicy, hasTestedChannel, hasTwoMachines } from './queries.ts'

export function firstStepsRoutes(api: Api, ctx: Context): void {
  route(api, getFirstSteps, async ({ caller }) => {
    const { db } = ctx
    const stepOf = (needs: readonly Permission[], isDone: () => Promise<boolean>) =>
      needs.every((permission) => mayDo(caller, permission)) ? isDone() : null
    return {
      machine: await stepOf(['can_install_agents', 'can_list_agents'], () => hasTwoMachines(db, caller)),
      policy: await stepOf(['can_manage_automation_policies', 'can_list_automation_policies'], () =>
        hasAssignedPolicy(db),
      ),
      channel: await stepOf(['can_edit_core_settings', 'can_view_core_settings'], () => hasTestedChannel(db)),
      user: await stepOf(
        ['can_manage_accounts', 'can_list_accounts'],
        async () => (await countUsersToSignIn(db)) > 1,
      ),
    }
  })
}
