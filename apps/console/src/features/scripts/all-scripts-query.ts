import { listScripts } from '@muster/contract/api/scripts'
import { query } from '../../app/api/api.ts'

/** All scripts, hidden and built-in ones too: what is shown is chosen in the console, at once. */
export const allScriptsQuery = query(listScripts, {
  query: { showCommunityScripts: 'true', showHiddenScripts: 'true' },
})
