import {
  addPackageFilePart,
  createPackageFile,
  finishPackageFile,
  type PackageFile,
  PART_BYTES,
} from '@muster/contract/api/package-files'
import { call } from '../../app/api/api.ts'

/** Sends a file in parts. `onSent` gets the bytes that are on the server. */
export async function uploadPackageFile(
  content: File,
  fields: Pick<PackageFile, 'name' | 'args' | 'detection'>,
  onSent: (bytes: number) => void,
): Promise<PackageFile> {
  const body = { ...fields, file_name: content.name, bytes: content.size }
  const { id } = await call(createPackageFile, { body })
  for (let from = 0, number = 1; from < content.size; from += PART_BYTES, number += 1) {
    onSent(from)
    const data = await readBase64(content.slice(from, from + PART_BYTES))
    await call(addPackageFilePart, { params: { id, number }, body: { data } })
  }
  onSent(content.size)
  return call(finishPackageFile, { params: { id } })
}

function readBase64(part: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.addEventListener('load', () => {
      const { result } = reader
      resolve(typeof result === 'string' ? (result.split(',', 2)[1] ?? '') : '')
    })
    reader.addEventListener('error', () => reject(new Error('The file cannot be read.')))
    reader.readAsDataURL(part)
  })
}
