// What happened to a file of addresses.
import { Table, Text } from "@mantine/core";
import type { SuppressionImport } from "../api.gen.ts";
import { formatCount } from "../parts/format.ts";

export function ImportReport({
  report: { added, existing, invalid, errors },
}: {
  report: SuppressionImport;
}) {
  return (
    <>
      <Text size="sm">
        {formatCount(added, "address was", "addresses were")} added, {formatCount(existing, "was", "were")}{" "}
        there already{invalid > 0 && <>, and {formatCount(invalid, "row", "rows")} could not be read</>}.
      </Text>
      {errors.length > 0 && (
        <Table mt="md" fz="sm" aria-label="Rows that could not be read">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Row</Table.Th>
              <Table.Th>Address</Table.Th>
              <Table.Th>What is wrong</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {errors.map(({ row, email, error }) => (
              <Table.Tr key={row}>
                <Table.Td>{row}</Table.Td>
                <Table.Td>{email}</Table.Td>
                <Table.Td>{error}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </>
  );
}
