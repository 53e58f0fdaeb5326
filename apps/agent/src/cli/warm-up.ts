import { loadCheckTypes } from '../checks/table.ts'
import { os } from '../os/index.ts'

/** Loads every module that a running agent may load, to fill the compile cache. */
export async function warmUp(): Promise<void> {
  await Promise.all([
    import('./run.ts'),
    import('./lean-start.ts'),
    import('../checks/measure-check.ts'),
    import('../remote/terminal/terminal.ts'),
    import('../remote/terminal/plan-shell.ts'),
    import('../remote/terminal/describe-shells.ts'),
    import('../remote/desktop/desktop.ts'),
    import('../remote/desktop/open-desktop.ts'),
    loadCheckTypes(),
    os.loadProbes(),
    os.loadProcessTools(),
    os.loadServiceTools(),
    os.loadSoftwareTools(),
    import('./software.ts'),
    os.loadPatchTools(),
    import('./patches.ts'),
    import('./install-order.ts'),
    import('./receipt.ts'),
    import('../collectors/process-changes.ts'),
  ])
}
