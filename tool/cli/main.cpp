#include <cstdio>

int main() {
    std::puts("drydock");
    return 0;
}
