import { type JobPlan, planFleetJob } from '@muster/contract/api/fleet-jobs'
import {
  addPackageFilePart,
  createPackageFile,
  finishPackageFile,
  listPackageFiles,
  type PackageFile,
  PART_BYTES,
} from '@muster/contract/api/package-files'
import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { answer } from '../../testing/test-server.ts'
import { givenDashboard } from '../dashboard/test-dashboard.ts'

const AT = '2026-11-24T09:03:00.000Z'

const PLAN: JobPlan = {
  hash: 'abc',
  name: 'hostname',
  action_text: 'Send the command hostname',
  matched: 3,
  planned: 2,
  offline: 1,
  waves: [
    { number: 1, size: 1 },
    { number: 2, size: 1 },
  ],
  skipped: [{ code: 'unsuitable', reason: 'It has no bash.', count: 1 }],
  needs_approval: false,
  machines: [],
}

test('a file is uploaded in the dialog and pushed to machines', async () => {
  await page.viewport(1440, 900)
  const { server, open } = await givenDashboard()
  server.on(planFleetJob, () => answer(planFleetJob, PLAN))
  const file: PackageFile = {
    id: 3,
    name: 'app.bin',
    file_name: 'app.bin',
    format: 'other',
    bytes: PART_BYTES + 10,
    sha256: null,
    args: '',
    detection: null,
    created_by: 'ada',
    created_at: AT,
    modified: AT,
  }
  const files: PackageFile[] = []
  server.on(listPackageFiles, () => answer(listPackageFiles, files))
  server.on(createPackageFile, () => answer(createPackageFile, file))
  const lastPart = Promise.withResolvers<void>()
  let parts = 0
  server.on(addPackageFilePart, async () => {
    parts += 1
    if (parts === 2) await lastPart.promise
    return answer(addPackageFilePart, null)
  })
  server.on(finishPackageFile, () => {
    files.push({ ...file, sha256: 'f'.repeat(64) })
    return answer(finishPackageFile, { ...file, sha256: 'f'.repeat(64) })
  })
  await open('/?dialog=new-job')
  await page.getByRole('textbox', { name: 'Search for machines' }).fill('os:linux')
  await page.getByRole('combobox', { name: 'Action' }).click()
  await page.getByRole('option', { name: 'Push a file' }).click()
  await expect.element(page.getByRole('button', { name: 'Upload a file' })).toBeVisible()
  const input = document.querySelector<HTMLInputElement>('input[type=file]')
  const content = new File([new Uint8Array(file.bytes)], file.file_name)
  await userEvent.upload(page.elementLocator(input ?? document.body), content)
  await expect.element(page.getByRole('progressbar', { name: 'Upload of app.bin' })).toBeVisible()
  lastPart.resolve()
  await expect.element(page.getByRole('combobox', { name: 'File' })).toHaveValue('app.bin (1 MB)')
  await page.getByRole('textbox', { name: 'Path' }).fill('/opt/app.bin')
  await page.getByRole('textbox', { name: 'Mode' }).fill('0755')
  await page.getByRole('checkbox', { name: 'Replace a file with other content' }).click()
  await page.getByRole('button', { name: 'Plan' }).click()
  await expect
    .poll(() => server.calls(planFleetJob).at(-1)?.body)
    .toMatchObject({
      action: { type: 'push_file', file: 3, path: '/opt/app.bin', mode: 0o755, overwrite: false },
    })
})
