import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { makeUniform } from './program-folder.mjs'
import { runTool, SOURCE_DATE_EPOCH } from './run-tool.mjs'
import { writeCabinet } from './write-cabinet.mjs'

/** Windows Installer recognizes other versions of the agent by it. Never change it. */
const UPGRADE_CODE = '8D1B1F5C-52D3-4C0B-9B0E-6D0C8C1E7A42'
/** A program that was installed (18), deferred (1024), as the system (2048), with arguments hidden in logs (8192). */
const HIDDEN_ACTION = 18 + 1024 + 2048 + 8192
/** The same during a rollback (256), whose result is ignored (64). */
const UNDO_ACTION = 18 + 1024 + 2048 + 256 + 64
/** A stream in the package. */
const CABINET = 'agent.cab'
const COMMAND_FILE = 'muster-agent.cmd'
const COMMAND = '@"%~dp0node.exe" "%~dp0muster-agent.mjs" %*\r\n'

/** Builds the package for Windows Installer with wixl. See docs/decisions/0070-agent-packages.md. */
export function buildMsi({ arch, version, folder, scratch, fast, file }) {
  writeFileSync(join(folder, COMMAND_FILE), COMMAND)
  makeUniform(folder)
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .toSorted()
  const content = createHash('sha256').update(`${version} ${arch}`)
  for (const name of names) content.update(name).update(readFileSync(join(folder, name)))
  const seed = content.digest('hex')
  const source = join(scratch, 'agent.wxs')
  writeFileSync(source, describeProduct({ arch, version, names, seed }))
  // wixl knows no arm64; the package says in its summary for which processor it is.
  runTool('wixl', ['-a', 'x64', '-o', file, source], { cwd: folder })
  const cabinet = join(scratch, 'agent.cab')
  const options = { time: SOURCE_DATE_EPOCH, fast, calls: arch === 'x64' }
  writeCabinet(cabinet, listFiles(file, { folder, names }), options)
  runTool('msibuild', [file, '-a', CABINET, cabinet])
  // wixl writes none of these.
  for (const change of [
    `UPDATE \`Media\` SET \`Cabinet\` = '#${CABINET}'`,
    `UPDATE \`CustomAction\` SET \`Type\` = ${HIDDEN_ACTION} WHERE \`Action\` = 'RegisterAgent'`,
    `UPDATE \`CustomAction\` SET \`Type\` = ${UNDO_ACTION} WHERE \`Action\` = 'UndoAgent'`,
    "UPDATE `Property` SET `Value` = 'OTHERVERSION' WHERE `Property` = 'SecureCustomProperties'",
  ])
    runTool('msibuild', [file, '-q', change])
  const platform = arch === 'arm64' ? 'Arm64' : 'x64'
  // The last value identifies the package. wixl makes a new one each time.
  runTool('msibuild', [
    file,
    '-s',
    'Muster agent',
    'Muster',
    `${platform};1033`,
    `{${makeGuid(seed, 'package')}}`,
  ])
  setSummaryTimes(file)
  return { signed: sign(file) }
}

/** The files in the order of the File table, which a cabinet must have. Its first rows describe its columns. */
function listFiles(file, { folder, names: paths }) {
  const pathOf = new Map(paths.map((path) => [fileId(path), join(folder, path)]))
  const [columns = '', , , ...rows] = runTool('msiinfo', ['export', file, 'File']).trim().split('\r\n')
  const names = columns.split('\t')
  return rows
    .map((row) => Object.fromEntries(row.split('\t').map((value, index) => [names[index], value])))
    .toSorted((one, other) => Number(one.Sequence) - Number(other.Sequence))
    .map(({ File }) => ({ name: File, path: pathOf.get(File) }))
}

/** The format of the summary, FMTID_SummaryInformation. */
const SUMMARY = Buffer.from('e0859ff2f94f6810ab9108002b27b3d9', 'hex')
const CREATED_AND_SAVED = [12, 13]
/** Seconds from 1601, where the time of Windows begins, to 1970. */
const WINDOWS_EPOCH_S = 11_644_473_600n

/**
 * Replaces the times of the build in the summary, which are all that differs between two builds. A property set has its
 * only section at an offset after its format; the section has a size, a count, and pairs of property and offset.
 */
function setSummaryTimes(file) {
  const bytes = readFileSync(file)
  const format = bytes.indexOf(SUMMARY)
  const section = format - 28 + bytes.readUInt32LE(format + SUMMARY.length)
  const time = (BigInt(SOURCE_DATE_EPOCH) + WINDOWS_EPOCH_S) * 10_000_000n
  for (let index = 0; index < bytes.readUInt32LE(section + 4); index += 1) {
    const [id, at] = [0, 4].map((part) => bytes.readUInt32LE(section + 8 + 8 * index + part))
    // Each value begins with its type, four bytes.
    if (CREATED_AND_SAVED.includes(id)) bytes.writeBigUInt64LE(time, section + at + 4)
  }
  writeFileSync(file, bytes)
}

/**
 * Wine does not set UPGRADINGPRODUCTCODE when a new version removes the old one. Tests set MUSTER_UPGRADE instead.
 *
 * SERVER, TOKEN and CAFILE reach the agent as arguments of a deferred action, which Windows Installer hides in its log.
 * The agent keeps them in a file of its own and registers its service, so a package writes no secret into the registry.
 * A repetition of an installation, which every user may start, passes none of them on.
 */
function describeProduct({ arch, version, names, seed }) {
  const describeComponent = (name, index) => {
    const stop = '<ServiceControl Id="StopAgent" Name="MusterAgent" Stop="both" Wait="yes"/>'
    const isNode = name === 'node.exe'
    return `          <Component Id="Part${index}" Guid="${makeGuid(UPGRADE_CODE, name)}" Win64="yes">
            <File Id="${fileId(name)}" Name="${basename(name)}" Source="${name}" KeyPath="yes"/>
            ${isNode ? stop : ''}
          </Component>`
  }
  const components = names.map((name, index) => [dirname(name), describeComponent(name, index)])
  const componentsIn = (wanted) => components.filter(([inside]) => inside === wanted).map(([, text]) => text)
  const references = names.map((_, index) => `      <ComponentRef Id="Part${index}"/>`)
  const action = (id, more, command) =>
    `    <CustomAction Id="${id}" FileKey="${fileId('node.exe')}" Impersonate="no" ${more} ExeCommand="${escapeXml(command)}"/>`
  const agent = '"[INSTALLDIR]muster-agent.mjs"'
  // A backslash before the quote would make it part of the path.
  const layOut = String.raw`"[INSTALLDIR]package\agent.mjs" lay-out --program-folder "[INSTALLDIR]."`
  const repeat = `${agent} install --package "msi:[ProductCode]"`
  const install = `${repeat} --server "[SERVER]" --token "[TOKEN]" --ca "[CAFILE]"`
  // Either would let a value continue as further arguments.
  const isUnsafe = ['SERVER', 'TOKEN', 'CAFILE'].map((name) => String.raw`${name} >< Quote OR ${name} >> "\"`)
  return `<?xml version="1.0" encoding="utf-8"?>
<Wix xmlns="http://schemas.microsoft.com/wix/2006/wi">
  <Product Id="{${makeGuid(seed, 'product')}}" Name="Muster agent" Language="1033" Version="${version}" Manufacturer="Muster" UpgradeCode="{${UPGRADE_CODE}}">
    <Package InstallerVersion="500" Compressed="yes" InstallScope="perMachine" Description="Muster agent ${version} for ${arch}"/>
    <Media Id="1" Cabinet="${CABINET}" EmbedCab="no"/>
    <Property Id="MsiHiddenProperties" Value="TOKEN"/>
    <Property Id="Quote" Value="&quot;"/>
    <Condition Message="SERVER, TOKEN and CAFILE must not contain quotation marks or end with a backslash.">${escapeXml(`Installed OR NOT (${isUnsafe.join(' OR ')})`)}</Condition>
    <Upgrade Id="{${UPGRADE_CODE}}">
      <UpgradeVersion Minimum="0.0.0" IncludeMinimum="yes" OnlyDetect="no" Property="OTHERVERSION"/>
    </Upgrade>
    <Directory Id="TARGETDIR" Name="SourceDir">
      <Directory Id="ProgramFiles64Folder">
        <Directory Id="INSTALLDIR" Name="Muster Agent">
${componentsIn('.').join('\n')}
          <Directory Id="PACKAGEDIR" Name="package">
${componentsIn('package').join('\n')}
          </Directory>
        </Directory>
      </Directory>
    </Directory>
    <Feature Id="Agent" Level="1">
${references.join('\n')}
    </Feature>
${action('LayOutAgent', 'Execute="deferred" Return="check"', layOut)}
${action('RegisterAgent', 'Execute="deferred" Return="check"', install)}
${action('RepeatAgent', 'Execute="deferred" Return="check"', repeat)}
${action('UndoAgent', 'Execute="deferred" Return="ignore"', `${agent} uninstall --by-package`)}
${action('RemoveAgent', 'Execute="deferred" Return="ignore"', `${agent} uninstall --by-package`)}
    <CustomAction Id="ClearToken" Property="TOKEN" Value="{}"/>
    <InstallExecuteSequence>
      <RemoveExistingProducts Sequence="1510"/>
      <Custom Action="RemoveAgent" Sequence="1910">REMOVE="ALL" AND NOT UPGRADINGPRODUCTCODE AND NOT %MUSTER_UPGRADE</Custom>
      <Custom Action="UndoAgent" Sequence="6480">NOT Installed AND NOT OTHERVERSION</Custom>
      <Custom Action="LayOutAgent" Sequence="6490">NOT REMOVE="ALL"</Custom>
      <Custom Action="RegisterAgent" Sequence="6500">NOT Installed</Custom>
      <Custom Action="RepeatAgent" Sequence="6501">Installed AND NOT REMOVE="ALL"</Custom>
      <Custom Action="ClearToken" Sequence="6610">TOKEN</Custom>
    </InstallExecuteSequence>
  </Product>
</Wix>
`
}

function fileId(name) {
  return `File_${name.replaceAll(/\W/g, '_')}`
}

/** The same text gives the same GUID. */
function makeGuid(...texts) {
  const hex = createHash('sha256').update(texts.join('\n')).digest('hex').toUpperCase()
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `5${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-')
}

function escapeXml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}

/** Signs with the certificate and key in the files of MUSTER_SIGN_CERT and MUSTER_SIGN_KEY, if they are given. */
function sign(file) {
  const { MUSTER_SIGN_CERT: cert, MUSTER_SIGN_KEY: key, MUSTER_SIGN_TIMESTAMP_URL: url } = process.env
  if (!cert || !key) return false
  const signed = `${file}.signed`
  const time = url ? ['-ts', url] : []
  runTool('osslsigncode', [
    'sign',
    '-certs',
    cert,
    '-key',
    key,
    '-n',
    'Muster agent',
    ...time,
    '-in',
    file,
    '-out',
    signed,
  ])
  renameSync(signed, file)
  return true
}
