import { SEARCH_FIELDS } from '@muster/rules/search/search-fields'
import { SEARCH_FLAGS } from '@muster/rules/search/search-tree'
import type { AddressedDialogProps } from '../../app/dialogs/use-dialog.ts'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { Terms } from '../../ui/layout/Terms.tsx'
import classes from './SearchHelpDialog.module.css'

/** The same examples as in docs/search.md. */
const EXAMPLES = [
  ['web frankfurt', 'Both words, in any field'],
  ['"front desk"', 'This text; two quotes ("") stand for one'],
  ['client:acme  os:windows', 'In this field'],
  ['name=web-1  name:web-*', 'The whole text; * = any letters'],
  ['disk_free<10%  ram>=16gb', 'Units: % kb mb gb tb'],
  ['last_seen>7d  booted<2026-11-01', 'Ages in s m h d w y, or dates (UTC)'],
  ['ram:8gb..16gb  site:(Berlin, "New York")', 'Range and list'],
  ['is:offline  not:maintenance', 'States'],
  ['web or db  -windows  (a or b) c', 'Either, not, brackets'],
  ['software:firefox<130  check:failing  patch:critical', 'Facts that the server looks up'],
  ['cf.room:204', 'Custom field'],
] as const

/** The search language: examples, fields and states. */
export function SearchHelpDialog({ close }: AddressedDialogProps) {
  return (
    <Dialog title="Search" onClose={close} size="lg">
      {/* Focusable, so that the keyboard scrolls it. */}
      <section aria-label="Search language" tabIndex={0}>
        <Terms title="Examples" rows={EXAMPLES} />
        <Terms
          title="Fields"
          rows={SEARCH_FIELDS.map(({ name, aliases = [], help }) => [
            name,
            aliases.length === 0 ? help : `${help} (also ${aliases.join(', ')})`,
          ])}
        />
        <h3 className={classes.title}>States</h3>
        <p className={classes.states}>{SEARCH_FLAGS.join('  ')}</p>
      </section>
    </Dialog>
  )
}
