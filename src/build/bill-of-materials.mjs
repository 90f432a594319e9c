/**
 * What the program is made of, for those who audit what they install: CycloneDX 1.6 as JSON (https://cyclonedx.org/docs/1.6/json/). The
 * libraries are bundled, so that no audit of an installation would see them otherwise. No time and no serial number: the same sources
 * give the same bytes.
 */

/** The text of the bill of materials: `program` is package.json, `packages` are those of licenses.mjs. */
export function formatBillOfMaterials(program, packages) {
  const own = { 'bom-ref': refOf(program), type: 'application', ...describe(program) };
  const components = packages.map(({ parts = [], ...bundled }) => ({
    'bom-ref': refOf(bundled),
    type: 'library',
    scope: 'required',
    ...describe(bundled),
    ...(parts.length > 0 && { components: parts.map((part) => ({ 'bom-ref': part.purl, type: 'library', ...part })) }),
  }));
  const compiled = components.flatMap(({ components: parts = [], ...whole }) =>
    parts.length === 0 ? [] : [{ ref: whole['bom-ref'], dependsOn: parts.map((part) => part['bom-ref']) }],
  );
  const bill = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: own },
    components,
    dependencies: [{ ref: own['bom-ref'], dependsOn: components.map((component) => component['bom-ref']) }, ...compiled],
  };
  return `${JSON.stringify(bill, null, 2)}\n`;
}

function describe({ name, version, license, purl }) {
  const stated = license.startsWith('(') ? { expression: license } : { license: { id: license } };
  return { name, version, licenses: [stated], purl: refOf({ name, version, purl }) };
}

/** https://github.com/package-url/purl-spec; what is not a package of npm brings its own. */
function refOf({ name, version, purl }) {
  return purl ?? `pkg:npm/${name.replace('@', '%40')}@${version}`;
}
